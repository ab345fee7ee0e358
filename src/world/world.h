// SPDX-License-Identifier: Apache-2.0
// World: a cluster without machines, on any clock: what is in it, its API server, its controllers and simulated nodes.
//
// `berth up` serves one to clients in real time, `berth simulate` runs one in virtual time.
//
// Thread: that of the timers.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "framework/feature_gates.h"
#include "runtime/timers.h"
#include "server/all_controllers.h"
#include "server/controllers/controller_loop.h"
#include "server/metrics/resource_metrics.h"
#include "server/nodes/behaviour.h"
#include "server/nodes/device_templates.h"
#include "server/objects/objects.h"
#include "server/rest/api_server.h"
#include "server/store/store.h"

namespace berth::server {
class Definitions;
}

namespace berth::world {

class World {
 public:
  struct Options {
    framework::FeatureGates gates = {};
    server::Store::Options store = {};
    server::AccessOptions access = {};
    bool tracks_fields = true;  // See server::Objects.
    // By which the cluster does its own work, so that clients come first; null: as everything else. Outlives the world.
    runtime::Timers* background = nullptr;
  };

  // Names, uids and addresses follow from `seed`. REQUIRES: the timers outlive this.
  World(runtime::Timers& timers, uint64_t seed, const Options& options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const server::Catalog& catalog() const { return catalog_; }
  server::Store& store() { return store_; }
  const server::Store& store() const { return store_; }
  server::Objects& objects() { return objects_; }
  server::ApiServer& api() { return api_; }
  // To be called when the store was restored.
  void LoadDefinitions();

  // Reads which devices the nodes have; see server/nodes/device_templates.h. REQUIRES: Start was not called.
  Result<void> ReadDevices(const std::string& file);
  // Makes the objects of that file of which there is one. Those that are there already stay as they are.
  Result<void> MakeDeviceObjects();

  // Reads how pods and nodes behave; see server/nodes/behaviour.h. What is left to chance follows from `seed`.
  // REQUIRES: as above.
  Result<void> ReadBehaviour(const std::string& file, uint64_t seed);
  const server::Behaviour& behaviour() const { return behaviour_; }

  // From now on the controllers and the simulated nodes do their work. REQUIRES: it is called once.
  void Start(server::ClusterRules rules);

 private:
  World(runtime::Timers& timers, Random seeds, const Options& options);

  server::Catalog catalog_;
  server::Store store_;
  server::Objects objects_;
  std::unique_ptr<server::Definitions> definitions_;
  server::ApiServer api_;
  server::DeviceTemplates devices_;
  server::Behaviour behaviour_;
  std::string devices_file_;
  server::ControllerLoop controllers_;
  std::unique_ptr<server::ResourceMetrics> metrics_;  // Null: they are not served.
};

}  // namespace berth::world
