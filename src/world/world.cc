// SPDX-License-Identifier: Apache-2.0
#include "world/world.h"

#include <utility>

#include "runtime/files.h"
#include "runtime/with_file.h"
#include "server/definitions/definitions.h"
#include "server/nodes/simulated_devices.h"

namespace berth::world {

World::World(runtime::Timers& timers, uint64_t seed, const Options& options) : World(timers, Random(seed), options) {}

World::World(runtime::Timers& timers, Random seeds, const Options& options)
    : catalog_(options.gates),
      store_(catalog_, options.store),
      objects_(catalog_, store_, timers, seeds.Next(), options.tracks_fields),
      definitions_(std::make_unique<server::Definitions>(catalog_, store_, objects_, timers)),
      api_(catalog_, store_, objects_, timers, seeds.Next(), options.access),
      controllers_(store_, objects_, timers, seeds.Next()) {}

World::~World() = default;

void World::LoadDefinitions() { definitions_->Load(); }

Result<void> World::ReadDevices(const std::string& file) {
  const std::string text = BERTH_TRY(runtime::ReadFile(file));
  Result<server::DeviceTemplates> devices = server::ParseDevices(text);
  if (!devices) return Fail(devices.error().code, runtime::WithFile(file, devices.error().message));
  devices_ = *std::move(devices);
  devices_file_ = file;
  return {};
}

Result<void> World::MakeDeviceObjects() {
  for (const server::DeviceTemplates::Entry& entry : devices_.objects) {
    const server::Resource& resource = catalog_.Get("resource.k8s.io", entry.plural);
    if (store_.Find(resource, "", entry.object["metadata"]["name"].text()) != nullptr) continue;
    const auto made = objects_.Create(resource, "", entry.object, {});
    if (!made) return Invalid(devices_file_ + ": " + made.error().message);
  }
  return {};
}

void World::Start(server::ClusterRules rules) {
  if (rules.measures_pods) {
    metrics_ = std::make_unique<server::ResourceMetrics>(catalog_, store_, api_, controllers_.cluster());
  }
  server::AddControllers(controllers_, std::move(rules));
  if (!devices_.slices.empty()) {
    controllers_.Add(std::make_unique<server::SimulatedDevices>(controllers_.cluster(), devices_));
  }
  controllers_.Start();
}

}  // namespace berth::world
