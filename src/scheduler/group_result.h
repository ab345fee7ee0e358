// SPDX-License-Identifier: Apache-2.0
// GroupResult: what an attempt to schedule a group found, for the group and for each of its members.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "framework/group.h"
#include "framework/status.h"

namespace berth::scheduler {

// A status that may carry an error besides its reasons, as upstream's do: the error comes first in the message.
struct GroupStatus {
  framework::StatusCode code = framework::StatusCode::kSuccess;
  std::string error;
  std::vector<std::string> reasons;

  GroupStatus() = default;
  GroupStatus(framework::StatusCode status_code, std::string status_error, std::vector<std::string> status_reasons = {})
      : code(status_code), error(std::move(status_error)), reasons(std::move(status_reasons)) {}
  explicit GroupStatus(framework::Status status) : code(status.code), reasons(std::move(status.reasons)) {}
  static GroupStatus Error(std::string text) { return {framework::StatusCode::kError, std::move(text)}; }

  bool ok() const { return code == framework::StatusCode::kSuccess; }
  bool is_error() const { return code == framework::StatusCode::kError; }
  bool is_rejected() const { return framework::IsRejected(code); }
  std::string message() const;
  // The error, or the message where there is none.
  std::string AsError() const { return error.empty() ? message() : error; }
};

// A member that was tried, or is told why it was not.
struct MemberResult {
  cluster::PodPtr pod;
  GroupStatus status;
  bool was_tried = false;
  std::unique_ptr<framework::Cycle> cycle;  // Of a member that was tried.
  // Where it goes, if its status is a success.
  cluster::NodeSlot node;
  std::string node_name;
  size_t evaluated_nodes = 0;
  size_t feasible_nodes = 0;
  std::vector<cluster::NodeSlot> feasible;  // Where it could go as well, if places are searched for.
  // Why it found no node.
  std::set<std::string, std::less<>> unschedulable_plugins;
  std::set<std::string, std::less<>> pending_plugins;
  std::optional<std::string> nomination;  // Present: its nomination becomes this (empty: is cleared).
};

struct GroupResult {
  const framework::GroupNode* group = nullptr;
  std::vector<MemberResult> members;    // In the order of the group's pods; it may end early.
  std::shared_ptr<GroupStatus> status;  // Children share that of a parent that failed.
  bool any_scheduled = false;           // By this attempt.
  bool waits_for_preemption = false;
};

// Of all groups of a tree.
using GroupResults = std::map<cluster::GroupKey, GroupResult>;

// A domain in which a group does not fit, for explanations.
struct FailedDomain {
  cluster::GroupKey group;
  std::string name;
  std::string message;
  std::map<std::string, std::string> members;  // Why those that were tried do not fit, by "namespace/name".
};

// A call of the plugins that make or rank placements, for explanations.
struct PlacementCall {
  cluster::GroupKey group;
  std::vector<std::pair<std::string, int64_t>> placements;  // With their scores, if it was about those.
  framework::Status status;
};

}  // namespace berth::scheduler
