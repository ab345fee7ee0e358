// SPDX-License-Identifier: Apache-2.0
// Hold: a permit plugin that keeps some pods waiting and turns others down once, as one that waits for other pods does.

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "framework/registry.h"

namespace berth::sim {

// The label that Hold goes by, and its values.
inline constexpr std::string_view kMood = "mood";
inline constexpr std::string_view kWaits = "waits";
inline constexpr std::string_view kRefused = "refused";

class Hold final : public framework::Plugin, public framework::PermitPlugin {
 public:
  static constexpr std::string_view kName = "Hold";
  static constexpr Duration kTimeout = Seconds(20);

  // From `end` on it lets everything pass.
  explicit Hold(Time end) : end_(end) {}

  std::string_view name() const override { return kName; }

  framework::PermitResult Permit(framework::Cycle& cycle, cluster::NodeSlot) const override {
    using framework::Status;
    const std::string_view mood = cycle.pod().labels().Get(std::string(kMood));
    if (cycle.now() < end_ && mood == kWaits) {
      return {.status = {framework::StatusCode::kWait, {"held"}, {}}, .timeout = kTimeout};
    }
    if (cycle.now() < end_ && mood == kRefused && refused_.insert(cycle.pod().uid).second) {
      return {.status = Status::Unschedulable("not now")};
    }
    if (mood.empty() && cycle.waiting_pods() != nullptr) LetAllGo(*cycle.waiting_pods());
    return {.status = Status::Success()};
  }

 private:
  static void LetAllGo(framework::WaitingPods& waiting) {
    std::vector<std::string> held;
    waiting.ForEach([&](const cluster::PodInfo& pod, const auto&) { held.push_back(pod.uid); });
    for (const std::string& uid : held) waiting.Allow(uid, kName);
  }

  Time end_;
  mutable std::set<std::string> refused_;  // Uids of those that were turned down once.
};

}  // namespace berth::sim
