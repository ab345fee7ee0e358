// SPDX-License-Identifier: Apache-2.0
// Candidates: the nodes that a pod may still go to, and why the others were turned down.
//
// Filter plugins run one after the other over the remaining candidates and reject some. A rejection is a small Verdict:
// plugin, code and a ReasonId that the cycle's ReasonTable turns into text when asked.
//
// Thread: core.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/tables/ids.h"
#include "cluster/tables/node_bits.h"
#include "framework/status.h"

namespace berth::framework {

using cluster::NodeSlot;

// One or more reason texts of this cycle. 0 means none.
using ReasonId = uint32_t;
inline constexpr ReasonId kNoReason = 0;

class ReasonTable {
 public:
  ReasonTable() { Clear(); }
  void Clear();
  // The id of this list of reasons; the same list gets the same id.
  ReasonId Intern(std::span<const std::string> reasons);
  ReasonId Intern(std::string_view reason);
  const std::vector<std::string>& reasons(ReasonId id) const { return lists_[id]; }
  size_t size() const { return lists_.size(); }

 private:
  std::vector<std::vector<std::string>> lists_;
};

struct Verdict {
  StatusCode code = StatusCode::kSuccess;
  uint8_t plugin = 0;  // Index of the plugin in its profile; kNoPlugin when no plugin is to blame.
  ReasonId reason = kNoReason;
  bool operator==(const Verdict&) const = default;
};
inline constexpr uint8_t kNoPlugin = 0xff;

class Candidates {
 public:
  // Starts with `nodes`, in that order. `slot_limit` is the size of the node table.
  void Reset(std::span<const NodeSlot> nodes, size_t slot_limit);
  // Starts over with `nodes` and keeps the verdicts so far, except those on `nodes` and on nodes rejected together.
  void Restart(std::span<const NodeSlot> nodes);

  std::span<const NodeSlot> nodes() const { return nodes_; }
  bool empty() const { return nodes_.empty(); }
  ReasonTable& reasons() { return reasons_; }
  const ReasonTable& reasons() const { return reasons_; }

  // Rejects every remaining node for which `rejects(slot)` is true, all for the same reason.
  template <class Rejects>
  void RejectIf(StatusCode code, std::string_view reason, Rejects rejects) {
    ReasonId id = kNoReason;
    Keep([&](NodeSlot slot) {
      if (!rejects(slot)) return true;
      if (id == kNoReason) id = reasons_.Intern(reason);
      Record(slot, code, id);
      return false;
    });
  }

  // The general form: `judge(slot)` returns a Verdict whose code is kSuccess to keep the node. `plugin` is filled in
  // here.
  template <class Judge>
  void RejectEach(Judge judge) {
    Keep([&](NodeSlot slot) {
      const Verdict verdict = judge(slot);
      if (verdict.code == StatusCode::kSuccess) return true;
      Record(slot, verdict.code, verdict.reason);
      return false;
    });
  }

  // Rejects all remaining nodes.
  void RejectAll(StatusCode code, std::string_view reason) {
    RejectIf(code, reason, [](NodeSlot) { return true; });
  }

  // An internal error on some node: the cycle fails with it. The first one counts.
  void SetError(Status status);
  const Status& error() const { return error_; }
  // Puts `prefix` before the error's text and names the plugin, unless the error names one already.
  void WrapError(std::string_view prefix, std::string plugin);

  // Adds a node that passed elsewhere, behind the others.
  void Append(NodeSlot slot) { nodes_.push_back(slot); }

  // Who is to blame from now on (set by the profile before each plugin).
  void set_plugin(uint8_t plugin) { plugin_ = plugin; }

  // Verdicts of rejected nodes: code kSuccess means not rejected (feasible, or not looked at).
  const Verdict& verdict(NodeSlot slot) const {
    for (const Rejected& many : rejected_together_) {
      if (many.nodes.Contains(slot)) return many.verdict;
    }
    return verdicts_[slot.index];
  }
  void set_verdict(NodeSlot slot, Verdict verdict);
  // Those that were rejected one by one.
  std::span<const NodeSlot> rejected() const { return rejected_; }

  // Many nodes with one verdict.
  struct Rejected {
    Verdict verdict;
    size_t count = 0;  // Of the nodes.
    cluster::NodeBits nodes;
  };
  // Rejects nodes together. REQUIRES: none of them is rejected yet.
  void AddRejected(Rejected many) { rejected_together_.push_back(std::move(many)); }
  std::span<const Rejected> rejected_together() const { return rejected_together_; }
  // All that are rejected.
  size_t rejected_count() const;
  // Calls `visit(verdict, count)` for every node that was rejected alone, and for those that were together.
  template <class Visit>
  void ForEachVerdict(Visit visit) const {
    for (const NodeSlot slot : rejected_) visit(verdicts_[slot.index], size_t{1});
    for (const Rejected& many : rejected_together_) visit(many.verdict, many.count);
  }

 private:
  template <class Predicate>
  void Keep(Predicate keep) {
    size_t kept = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const NodeSlot slot = nodes_[i];
      if (keep(slot)) nodes_[kept++] = slot;
    }
    nodes_.resize(kept);
  }
  void Record(NodeSlot slot, StatusCode code, ReasonId reason) { set_verdict(slot, {code, plugin_, reason}); }

  std::vector<NodeSlot> nodes_;
  std::vector<NodeSlot> rejected_;
  std::vector<Verdict> verdicts_;  // By slot, of those.
  std::vector<Rejected> rejected_together_;
  ReasonTable reasons_;
  Status error_;
  uint8_t plugin_ = kNoPlugin;
};

}  // namespace berth::framework
