// SPDX-License-Identifier: Apache-2.0
// Diagnosis: why no node fits a pod, and upstream's sentence for it.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "cluster/node_table.h"
#include "framework/candidates.h"
#include "framework/status.h"

namespace berth::framework {

struct Diagnosis {
  const Candidates* candidates = nullptr;  // Verdicts of the nodes that were looked at.
  // What counts for nodes that were not looked at.
  Status absent{StatusCode::kUnschedulableAndUnresolvable, {}, {}};
  size_t node_count = 0;  // All nodes of the cluster.
  // What extenders said of nodes that the cluster does not have.
  std::map<std::string, Status, std::less<>> strangers;
  std::set<std::string, std::less<>> unschedulable_plugins;
  std::set<std::string, std::less<>> pending_plugins;
  std::string pre_filter_message;
  std::string post_filter_message;

  // The code of a node: its verdict, or that of nodes not looked at.
  StatusCode CodeOf(NodeSlot slot) const;
};

// The message where there are no nodes at all.
inline constexpr std::string_view kNoNodesMessage = "no nodes available to schedule pods";

// Counts reasons and prints them: "0/5 nodes are available: 2 Insufficient cpu, 3 Insufficient memory."
class FitMessage {
 public:
  explicit FitMessage(size_t node_count) : node_count_(node_count) {}

  // `nodes` nodes have these reasons.
  void Add(std::span<const std::string> reasons, size_t nodes = 1);
  std::string ToString() const;

 private:
  size_t node_count_;
  std::vector<std::pair<std::string, size_t>> counts_;
};

// The scheduling error without and with what PostFilter added.
std::string FitErrorMessage(const Diagnosis& diagnosis);
std::string FitErrorMessageWithPostFilter(const Diagnosis& diagnosis);

}  // namespace berth::framework
