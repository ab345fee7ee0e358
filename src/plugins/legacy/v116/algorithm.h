// SPDX-License-Identifier: Apache-2.0
// What the predicates and priorities of v1.16 have in common as plugins.
//
// A predicate is a Filter plugin that gives all of its reasons for a node; its code says whether v1.16 counts one of
// them as beyond the help of preemption. A priority is a Score plugin whose scores go from 0 to 10. Both have the name
// they have in a Policy; those that a Policy can have several of are called "Kind:name". They do not say which changes
// may help a pod they rejected, so that every change brings it back, as in v1.16.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_counts.h"
#include "framework/plugin.h"

namespace berth::plugins::legacy::v116 {

inline constexpr int64_t kMaxPriority = 10;

class Predicate : public framework::Plugin, public framework::FilterPlugin {
 public:
  explicit Predicate(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }

 private:
  std::string name_;
};

class Priority : public framework::Plugin, public framework::ScorePlugin {
 public:
  explicit Priority(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }

 private:
  std::string name_;
};

// The reasons against one node.
class Reasons {
 public:
  void Clear() {
    texts_.clear();
    resolvable_ = true;
  }
  // Preemption may remove the reason, or not.
  void Add(std::string_view text) { texts_.emplace_back(text); }
  void AddUnresolvable(std::string_view text) {
    texts_.emplace_back(text);
    resolvable_ = false;
  }

  framework::Verdict ToVerdict(framework::ReasonTable& table) const {
    if (texts_.empty()) return {};
    return {.code = resolvable_ ? framework::StatusCode::kUnschedulable
                                : framework::StatusCode::kUnschedulableAndUnresolvable,
            .reason = table.Intern(texts_)};
  }

 private:
  std::vector<std::string> texts_;
  bool resolvable_ = true;
};

// An internal error as v1.16 words it: without a word about the plugin.
inline framework::Status BareError(const framework::Plugin& plugin, std::string text) {
  framework::Status error = framework::Status::Error(std::move(text));
  error.plugin = plugin.name();
  return error;
}

// Ends the attempt if there were errors: v1.16 reports those of all nodes.
inline void SetErrors(const framework::Plugin& plugin, const ErrorCounts& errors, framework::Candidates& candidates) {
  if (!errors.empty()) candidates.SetError(BareError(plugin, errors.ToString()));
}

// Scales scores so that the largest becomes kMaxPriority; with `reverse` it becomes 0, and what was 0 becomes the
// largest.
void NormalizeToMaxPriority(framework::Scores& scores, bool reverse);

}  // namespace berth::plugins::legacy::v116
