// SPDX-License-Identifier: Apache-2.0
#include "framework/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::framework {

StatusCode Diagnosis::CodeOf(NodeSlot slot) const {
  const StatusCode code = candidates->verdict(slot).code;
  return code == StatusCode::kSuccess ? absent.code : code;
}

void FitMessage::Add(std::span<const std::string> reasons, size_t nodes) {
  if (nodes == 0) return;
  for (const std::string& reason : reasons) {
    const auto it = std::ranges::find(counts_, reason, &std::pair<std::string, size_t>::first);
    if (it == counts_.end()) {
      counts_.emplace_back(reason, nodes);
    } else {
      it->second += nodes;
    }
  }
}

std::string FitMessage::ToString() const {
  std::string text = fmt::format("0/{} nodes are available:", node_count_);
  std::vector<std::string> entries;
  for (const auto& [reason, count] : counts_) entries.push_back(fmt::format("{} {}", count, reason));
  std::ranges::sort(entries);  // As text: "10 x" comes before "2 y".
  if (!entries.empty()) text += fmt::format(" {}.", fmt::join(entries, ", "));
  return text;
}

std::string FitErrorMessage(const Diagnosis& diagnosis) {
  if (!diagnosis.pre_filter_message.empty()) {
    return fmt::format("0/{} nodes are available: {}.", diagnosis.node_count, diagnosis.pre_filter_message);
  }
  const Candidates& candidates = *diagnosis.candidates;
  std::vector<size_t> nodes_with(candidates.reasons().size());
  candidates.ForEachVerdict([&](const Verdict& verdict, size_t count) { nodes_with[verdict.reason] += count; });
  FitMessage message(diagnosis.node_count);
  for (size_t id = 0; id < nodes_with.size(); ++id) {
    message.Add(candidates.reasons().reasons(static_cast<ReasonId>(id)), nodes_with[id]);
  }
  for (const auto& [name, status] : diagnosis.strangers) message.Add(status.reasons);
  const size_t looked_at = candidates.rejected_count() + diagnosis.strangers.size();
  if (looked_at < diagnosis.node_count) message.Add(diagnosis.absent.reasons, diagnosis.node_count - looked_at);
  return message.ToString();
}

std::string FitErrorMessageWithPostFilter(const Diagnosis& diagnosis) {
  std::string text = FitErrorMessage(diagnosis);
  if (!diagnosis.post_filter_message.empty()) text += " " + diagnosis.post_filter_message;
  return text;
}

}  // namespace berth::framework
