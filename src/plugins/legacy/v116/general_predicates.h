// SPDX-License-Identifier: Apache-2.0
// GeneralPredicates and its parts: resources, host name, host ports, node selector.
//
// Each part is a predicate of its own as well. Together they give the reasons of every part that fails.
//
// Cost: one pass over a few columns.

#pragma once

#include <memory>
#include <set>
#include <string>

#include "framework/registry.h"
#include "plugins/legacy/v116/algorithm.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins::legacy::v116 {

class GeneralPredicates final : public Predicate {
 public:
  static constexpr std::string_view kHostReason = "node(s) didn't match the requested hostname";
  static constexpr std::string_view kPortsReason = "node(s) didn't have free ports for the requested pod ports";
  static constexpr std::string_view kSelectorReason = "node(s) didn't match node selector";

  // Bits.
  enum Parts : uint8_t { kResources = 1, kHost = 2, kPorts = 4, kSelector = 8, kAllParts = 15 };

  using Args = NodeResourcesFit::Args;  // Of which ignored_resources counts.
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context, Parts parts);
  GeneralPredicates(std::string_view name, Parts parts, const std::vector<std::string>& ignored_resources)
      : Predicate(name), parts_(parts), ignored_resources_(ignored_resources.begin(), ignored_resources.end()) {}

  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;

 private:
  Parts parts_;
  std::set<std::string, std::less<>> ignored_resources_;  // Extended resources that extenders account for.
};

}  // namespace berth::plugins::legacy::v116
