// SPDX-License-Identifier: Apache-2.0
// RandomRun: a core that is driven at random and recorded. For tests only.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "cluster/test_builders.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "record/recorder.h"

namespace berth::record {

class RandomRun {
 public:
  static Settings MakeSettings(std::optional<uint64_t> seed) {
    const framework::FeatureGates gates;
    return {.configuration = config::Default(gates), .gates = gates, .seed = seed, .start = Time{Seconds(1000).nanos}};
  }

  RandomRun(std::ostream& out, const Settings& settings, uint64_t seed)
      : random_(seed),
        now_(settings.start),
        writer_(out, settings),
        recorder_(MakeCore(settings, plugins::BuiltIn()).value(), writer_) {}

  void Run(size_t steps) {
    for (size_t i = 0; i < steps; ++i) {
      now_ = now_ + Milliseconds(static_cast<int64_t>(random_.Below(1500)));
      if (i % 50 == 49) {
        Step(scheduler::Reconfigure{Configuration()});
        continue;
      }
      switch (random_.Below(6)) {
        case 0: Step(scheduler::PutObject{Node()}); break;
        case 1: Step(scheduler::PutObject{Pod()}); break;
        case 2: Step(scheduler::RemoveObject{"Pod", "default", PodName()}); break;
        case 3: Answer(); break;
        case 4: Step(scheduler::PassTime{}); break;
        default: Step(scheduler::ScheduleNext{}); break;
      }
    }
  }

  const Writer& writer() const { return writer_; }
  size_t effect_count() const { return effect_count_; }

 private:
  std::shared_ptr<const framework::SchedulerConfiguration> Configuration() {
    framework::SchedulerConfiguration changed = config::Default({});
    changed.pod_max_backoff_seconds = static_cast<int64_t>(5 + random_.Below(10));
    if (random_.Below(2) == 0) changed.percentage_of_nodes_to_score = 50;
    if (random_.Below(4) == 0) changed.profiles[0].scheduler_name = "another";
    return std::make_shared<const framework::SchedulerConfiguration>(std::move(changed));
  }
  std::string PodName() { return "pod-" + std::to_string(random_.Below(20)); }
  api::Node Node() {
    const std::string name = "node-" + std::to_string(random_.Below(5));
    return cluster::NodeBuilder(name).Capacity(random_.Below(2) == 0 ? "2" : "4", "8Gi");
  }
  api::Pod Pod() {
    cluster::PodBuilder pod(PodName());
    pod.SchedulerName("default-scheduler").Request("cpu", "1").ResourceVersion(std::to_string(++version_));
    pod.Priority(static_cast<int32_t>(random_.Below(3))).Label("app", "web");
    return pod;
  }
  // Of an effect that was issued lately.
  void Answer() {
    const uint64_t id = last_id_ < 5 ? 1 : last_id_ - random_.Below(5);
    const auto code = static_cast<scheduler::EffectAnswer::Code>(random_.Below(3));
    Step(scheduler::EffectAnswer{id, code, "conflict"});
  }
  template <class What>
  void Step(What what) {
    const std::vector<scheduler::IssuedEffect> effects = recorder_.Step({now_, std::move(what)});
    effect_count_ += effects.size();
    if (!effects.empty()) last_id_ = effects.back().id;
  }

  Random random_;
  Time now_;
  Writer writer_;
  Recorder recorder_;
  uint64_t last_id_ = 0;
  uint64_t version_ = 0;
  size_t effect_count_ = 0;
};

}  // namespace berth::record
