// SPDX-License-Identifier: Apache-2.0
#include "world/world.h"

#include <utility>

#include "runtime/files.h"
#include "runtime/with_file.h"
#include "server/definitions/definitions.h"
#include "server/nodes/simulated_devices.h"
#include "server/nodes/simulated_faults.h"

namespace berth::world {

World::World(runtime::Timers& timers, uint64_t seed, const Options& options) : World(timers, Random(seed), options) {}

World::World(runtime::Timers& timers, Random seeds, const Options& options)
    : catalog_(options.gates),
      store_(catalog_, options.store),
      objects_(catalog_, store_, timers, seeds.Next(), options.tracks_fields),
      definitions_(std::make_unique<server::Definitions>(catalog_, store_, objects_, timers)),
      api_(catalog_, store_, objects_, timers, seeds.Next(), options.access),
      controllers_(store_, objects_, options.background == nullptr ? timers : *options.background, seeds.Next()) {}

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

Result<void> World::ReadBehaviour(const std::string& file, uint64_t seed) {
  constexpr size_t kBytesMax = size_t{1} << 20;
  const std::string text = BERTH_TRY(runtime::ReadFile(file, kBytesMax));
  Result<server::Behaviour> behaviour = server::ParseBehaviour(text);
  if (!behaviour) return Fail(behaviour.error().code, runtime::WithFile(file, behaviour.error().message));
  behaviour_ = *std::move(behaviour);
  behaviour_.seed = seed;
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
  rules.lives.behaviour = &behaviour_;
  const bool tells = rules.lives.tells;
  server::AddControllers(controllers_, std::move(rules));
  if (!behaviour_.nodes.empty()) {
    controllers_.Add(std::make_unique<server::SimulatedFaults>(controllers_.cluster(), behaviour_, tells));
  }
  if (!devices_.slices.empty()) {
    controllers_.Add(std::make_unique<server::SimulatedDevices>(controllers_.cluster(), devices_));
  }
  controllers_.Start();
}

}  // namespace berth::world
