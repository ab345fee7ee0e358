// SPDX-License-Identifier: Apache-2.0
// CheckServiceAffinity: keeps the pods of a service on nodes that have the same values of some labels.
//
// The values come from the pod's node selector; those it leaves open come from the node of another pod in its namespace
// that has all of the pod's labels, if a service selects the pod. Which of several such pods counts is left to chance
// in v1.16; here it is one on the first node in the order of nodes.

#pragma once

#include <memory>

#include "framework/registry.h"
#include "plugins/legacy/service_affinity.h"
#include "plugins/legacy/v116/algorithm.h"

namespace berth::plugins::legacy::v116 {

class CheckServiceAffinity final : public Predicate, public framework::PreFilterPlugin {
 public:
  static constexpr std::string_view kKind = "CheckServiceAffinity";
  static constexpr std::string_view kReason = "node(s) didn't match service affinity";

  using Args = ServiceAffinity::Args;
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  CheckServiceAffinity(std::string_view name, std::vector<std::string> labels)
      : Predicate(name), labels_(std::move(labels)) {}

  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;

 private:
  std::vector<std::string> labels_;
};

}  // namespace berth::plugins::legacy::v116
