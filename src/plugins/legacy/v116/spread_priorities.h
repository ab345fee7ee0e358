// SPDX-License-Identifier: Apache-2.0
// Priorities that keep pods of one service or controller apart: SelectorSpreadPriority, ServiceSpreadingPriority and
// those with the argument serviceAntiAffinity.

#pragma once

#include <memory>
#include <string>

#include "framework/registry.h"
#include "plugins/legacy/service_affinity.h"
#include "plugins/legacy/v116/algorithm.h"

namespace berth::plugins::legacy::v116 {

// Both SelectorSpreadPriority and ServiceSpreadingPriority: the latter is meant to look at services only, but v1.16
// takes for both what it has prepared for the former.
class SelectorSpreadPriority final : public Priority {
 public:
  using Priority::Priority;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
};

// Spreads the pods of the pod's first service over the values of a node label.
class ServiceAntiAffinityPriority final : public Priority {
 public:
  static constexpr std::string_view kKind = "ServiceAntiAffinityPriority";

  using Args = ServiceAffinity::Args;  // With one label of anti-affinity.
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  ServiceAntiAffinityPriority(std::string_view name, std::string label) : Priority(name), label_(std::move(label)) {}
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;

 private:
  std::string label_;
};

}  // namespace berth::plugins::legacy::v116
