// SPDX-License-Identifier: Apache-2.0
// World: drives a core as the world would, for tests: objects go in, effects are collected and answered.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/test_builders.h"
#include "plugins/registry.h"
#include "scheduler/core.h"
#include "scheduler/test_configuration.h"

namespace berth::scheduler {

inline constexpr Time kStart{1'000'000'000'000'000};

class World {
 public:
  explicit World(const framework::Registry& registry = plugins::BuiltIn(), const std::string& extra_plugin = "")
      : World(DefaultConfiguration(extra_plugin), registry) {}
  explicit World(const framework::SchedulerConfiguration& configuration,
                 const framework::Registry& registry = plugins::BuiltIn(),
                 const framework::FeatureGates& gates = framework::FeatureGates(),
                 std::unique_ptr<framework::Chooser> chooser = std::make_unique<framework::SmallestNameChooser>())
      : core_(Core::Create(configuration, registry, gates, std::move(chooser), kStart).value()) {}

  Core& core() { return *core_; }
  Time now() const { return now_; }

  void Put(api::Object object) { Step(PutObject{std::move(object)}); }
  void Remove(std::string kind, std::string ns, std::string name) {
    Step(RemoveObject{std::move(kind), std::move(ns), std::move(name)});
  }
  void ScheduleAll() {
    while (core_->HasWork()) Step(ScheduleNext{});
  }
  void Pass(Duration duration) {
    now_ = now_ + duration;
    Step(PassTime{});
  }
  void Answer(uint64_t id, EffectAnswer::Code code = EffectAnswer::Code::kOk, std::string message = "") {
    Step(EffectAnswer{id, code, std::move(message)});
  }

  // The effects of type E so far, taken out.
  template <class E>
  std::vector<std::pair<uint64_t, E>> Take() {
    std::vector<std::pair<uint64_t, E>> taken;
    std::erase_if(effects_, [&](const IssuedEffect& issued) {
      const auto* effect = std::get_if<E>(&issued.effect);
      if (effect != nullptr) taken.emplace_back(issued.id, *effect);
      return effect != nullptr;
    });
    return taken;
  }

 private:
  template <class What>
  void Step(What what) {
    for (IssuedEffect& effect : core_->Step({now_, std::move(what)})) effects_.push_back(std::move(effect));
  }

  std::unique_ptr<Core> core_;
  Time now_ = kStart;
  std::vector<IssuedEffect> effects_;
};

inline api::Node Node(std::string name) { return cluster::NodeBuilder(std::move(name)).Capacity("4", "8Gi"); }

inline cluster::PodBuilder Pod(std::string name) {
  cluster::PodBuilder pod(std::move(name));
  pod.SchedulerName("default-scheduler").Request("cpu", "1").ResourceVersion("1");
  return pod;
}

}  // namespace berth::scheduler
