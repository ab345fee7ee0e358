// SPDX-License-Identifier: Apache-2.0
#include "framework/candidates.h"

#include <algorithm>

namespace berth::framework {

void ReasonTable::Clear() {
  lists_.clear();
  lists_.emplace_back();
}

ReasonId ReasonTable::Intern(std::span<const std::string> reasons) {
  // A cycle has a handful of distinct reasons: a scan beats a map.
  for (size_t id = 1; id < lists_.size(); ++id) {
    if (std::ranges::equal(lists_[id], reasons)) return static_cast<ReasonId>(id);
  }
  lists_.emplace_back(reasons.begin(), reasons.end());
  return static_cast<ReasonId>(lists_.size() - 1);
}

ReasonId ReasonTable::Intern(std::string_view reason) {
  const std::string text(reason);
  return Intern(std::span(&text, 1));
}

void Candidates::Reset(std::span<const NodeSlot> nodes, size_t slot_limit) {
  for (const NodeSlot slot : rejected_) verdicts_[slot.index] = {};
  rejected_.clear();
  rejected_together_.clear();
  if (verdicts_.size() < slot_limit) verdicts_.resize(slot_limit);
  nodes_.assign(nodes.begin(), nodes.end());
  reasons_.Clear();
  error_ = Status();
}

void Candidates::Restart(std::span<const NodeSlot> nodes) {
  nodes_.assign(nodes.begin(), nodes.end());
  rejected_together_.clear();
  if (rejected_.empty()) return;
  for (const NodeSlot slot : nodes) verdicts_[slot.index] = {};
  std::erase_if(rejected_, [&](NodeSlot slot) { return verdicts_[slot.index].code == StatusCode::kSuccess; });
}

size_t Candidates::rejected_count() const {
  size_t count = rejected_.size();
  for (const Rejected& many : rejected_together_) count += many.count;
  return count;
}

void Candidates::SetError(Status status) {
  if (!error_.ok()) return;
  error_ = std::move(status);
}

void Candidates::WrapError(std::string_view prefix, std::string plugin) {
  if (!error_.plugin.empty()) return;
  error_ = Status::Error(std::string(prefix) + error_.message());
  error_.plugin = std::move(plugin);
}

void Candidates::set_verdict(NodeSlot slot, Verdict verdict) {
  Verdict& entry = verdicts_[slot.index];
  if (entry.code == StatusCode::kSuccess) rejected_.push_back(slot);
  entry = verdict;
}

}  // namespace berth::framework
