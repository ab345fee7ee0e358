// SPDX-License-Identifier: Apache-2.0
// ConfigReload: takes up changes of the configuration file while the scheduler is at work.
//
// It looks at the file once a second. A file that says something else is read as at the start; if it is in order and
// changes only what can change without a restart (profiles, percentageOfNodesToScore, backoffs), what changes is logged
// and the scheduler goes on with it. Otherwise the file is refused, once, and the scheduler goes on as before.
//
// Thread: that of the timers.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "framework/registry.h"
#include "runtime/loop.h"
#include "runtime/timers.h"

namespace berth::scheduler_app {

class ConfigReload {
 public:
  struct Parts {
    std::string path;
    framework::SchedulerConfiguration configuration;  // In force.
    const framework::Registry& plugins;
    framework::FeatureGates gates;
    std::function<Result<framework::SchedulerConfiguration>(std::string_view text)> load;
    std::function<void(const framework::SchedulerConfiguration&)> apply;
    std::function<void(const Error&)> refuse;
  };

  ConfigReload(runtime::Timers& timers, Parts parts);

  void Start() { loop_.Start(); }
  void Stop() { loop_.Stop(); }

 private:
  void Look();
  Result<void> Take(const Result<std::string>& text);

  Parts parts_;
  std::string last_seen_;  // The text of the file, or why it could not be read.
  runtime::Loop loop_;
};

// Fails if the scheduler would have to start anew to go on with the other configuration.
Result<void> CheckChange(const framework::SchedulerConfiguration& from, const framework::SchedulerConfiguration& to);

// The lines of the configuration file that go and come, as "- text" and "+ text".
std::vector<std::string> ChangedLines(const framework::SchedulerConfiguration& from,
                                      const framework::SchedulerConfiguration& to);

}  // namespace berth::scheduler_app
