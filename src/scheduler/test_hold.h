// SPDX-License-Identifier: Apache-2.0
// Hold: a permit plugin for tests.

#pragma once

#include <gtest/gtest.h>

#include "plugins/registry.h"

namespace berth::scheduler {

// Makes every pod of priority below 50 wait for 10 seconds, and turns down pods labelled forbidden.
class Hold final : public framework::Plugin, public framework::PermitPlugin {
 public:
  static constexpr std::string_view kName = "Hold";
  std::string_view name() const override { return kName; }
  framework::PermitResult Permit(framework::Cycle& cycle, framework::NodeSlot) const override {
    if (cycle.pod().labels().Has("forbidden")) return {framework::Status::Unschedulable("not today"), {}};
    if (cycle.pod().priority() >= 50) return {framework::Status::Success(), {}};
    return {{framework::StatusCode::kWait, {}, {}}, Seconds(10)};
  }
};

inline framework::Registry WithHold() {
  framework::Registry registry = plugins::BuiltIn();
  EXPECT_TRUE(registry.Add<Hold>());
  return registry;
}

}  // namespace berth::scheduler
