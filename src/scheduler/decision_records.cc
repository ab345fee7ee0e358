// SPDX-License-Identifier: Apache-2.0
#include "scheduler/decision_records.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "base/hash.h"

namespace berth::scheduler {
namespace {

using framework::Candidates;
using framework::PreemptionCandidate;
using framework::StatusCode;

// What a map and a list need beside the record, about.
constexpr size_t kOverhead = 160;

size_t BytesOf(const std::string& text) { return sizeof(text) + text.size(); }
size_t BytesOf(const RecordedVerdicts& verdicts) { return verdicts.bytes(); }
size_t BytesOf(const std::vector<RecordedScorePlugin>& plugins) { return plugins.size() * sizeof(plugins[0]); }
size_t BytesOf(const RecordedGroup& group) {
  size_t bytes = sizeof(group) + group.preemption.size();
  for (const FailedDomain& domain : group.domains) {
    bytes += sizeof(domain) + domain.name.size() + domain.message.size();
    for (const auto& [name, message] : domain.members) bytes += kOverhead + name.size() + message.size();
  }
  return bytes;
}

size_t OwnBytes(const AttemptRecord& record) {
  size_t bytes = sizeof(record) + kOverhead + record.scores.capacity() * sizeof(RecordedScore) +
                 record.plugin_scores.capacity() * sizeof(int64_t);
  if (record.preemption == nullptr) return bytes;
  bytes += sizeof(*record.preemption) + record.preemption->message.size();
  for (const RecordedPreemption::Option& option : record.preemption->options) {
    bytes += sizeof(option);
    for (const std::string& victim : option.victims) bytes += BytesOf(victim);
  }
  return bytes;
}

RecordedPreemption::Option OptionOf(const PreemptionCandidate& candidate) {
  RecordedPreemption::Option option;
  option.node = candidate.node;
  option.pdb_violations = candidate.pdb_violations;
  option.highest_priority = candidate.victims.front()->priority();
  option.latest_start = Time{std::numeric_limits<int64_t>::min()};
  for (const cluster::PodPtr& victim : candidate.victims) {
    option.victims.push_back(victim->full_name());
    option.priority_sum += victim->priority();
    option.highest_priority = std::max(option.highest_priority, victim->priority());
  }
  for (const cluster::PodPtr& victim : candidate.victims) {
    if (victim->priority() != option.highest_priority || !option.latest_start) continue;
    option.latest_start =
        victim->start_time ? std::optional(std::max(*option.latest_start, *victim->start_time)) : std::nullopt;
  }
  return option;
}

std::unique_ptr<RecordedPreemption> PreemptionOf(const Decision& decision, const framework::PreemptionReport* report,
                                                 const cluster::NodeTable& nodes, size_t limit) {
  if (!decision.post_filter) return nullptr;
  auto preemption = std::make_unique<RecordedPreemption>();
  preemption->message = decision.post_filter->status.message();
  if (report == nullptr) return preemption;
  preemption->option_count = report->candidates.size();
  preemption->has_chosen = report->nominated.has_value();
  std::vector<const PreemptionCandidate*> order;
  for (const PreemptionCandidate& candidate : report->candidates) order.push_back(&candidate);
  const PreemptionCandidate* chosen = report->nominated ? order[*report->nominated] : nullptr;
  std::ranges::sort(order, {}, [&](const PreemptionCandidate* candidate) {
    return std::pair(candidate != chosen, std::string_view(nodes.name[candidate->node.index]));
  });
  if (order.size() > limit) order.resize(limit);
  for (const PreemptionCandidate* candidate : order) preemption->options.push_back(OptionOf(*candidate));
  return preemption;
}

}  // namespace

void DecisionRecords::set_limits(RecordLimits limits) {
  limits_ = limits;
  Trim();
}

void DecisionRecords::Note(const queue::QueuedPod& queued, const framework::Profile& profile,
                           const framework::Cycle* cycle, const Decision& decision, const cluster::NodeTable& nodes,
                           Time began, Time now) {
  if (!is_on()) return;
  AttemptRecord record;
  record.number = queued.attempts;
  record.began = began;
  record.decided = now;
  record.outcome = decision.outcome;
  record.is_nominated_node = decision.nominated_fast_path;
  record.node_count = decision.diagnosis.node_count;
  record.feasible_count = decision.feasible_count;
  record.tied_count = decision.tied_count;
  record.trail = queued.trail;
  record.trail.Leave(began);
  AddVerdicts(profile, decision, nodes, record);
  if (decision.outcome == Outcome::kScheduled) {
    record.node = decision.node;
    AddScores(decision, record);
  } else {
    record.message = Text(decision.full_message);
    record.preemption =
        PreemptionOf(decision, cycle == nullptr ? nullptr : cycle->preemption_report(), nodes, limits_.scored_nodes);
  }
  Add(queued.pod->uid, std::move(record));
}

void DecisionRecords::NoteMember(const cluster::PodInfo& pod, const GroupAttempt::Member& member, int32_t number,
                                 const queue::QueueTrail& trail, std::shared_ptr<const RecordedGroup> group,
                                 const cluster::NodeTable& nodes, Time now) {
  using Told = GroupAttempt::Member::Outcome;
  if (!is_on() || member.outcome == Told::kSkipped) return;
  AttemptRecord record;
  record.number = number;
  record.began = record.decided = now;
  record.outcome = member.outcome == Told::kScheduled ? Outcome::kScheduled
                   : member.outcome == Told::kError   ? Outcome::kError
                                                      : Outcome::kUnschedulable;
  record.trail = trail;
  record.trail.Leave(now);
  if (NodeSlot slot; member.outcome == Told::kScheduled && nodes.Find(member.node_name, slot)) record.node = slot;
  if (!member.message.empty()) record.message = Text(member.message);
  if (group.use_count() == 1) bytes_ += BytesOf(*group);
  record.group = std::move(group);
  Add(pod.uid, std::move(record));
}

size_t DecisionRecords::Sort(const Candidates& candidates) {
  size_t used = 0;
  bucket_of_.assign(candidates.reasons().size(), 0);
  for (const NodeSlot slot : candidates.rejected()) {
    const framework::Verdict& verdict = candidates.verdict(slot);
    if (verdict.code == StatusCode::kSuccess) continue;
    size_t& bucket = bucket_of_[verdict.reason];
    const auto fits = [&](const Bucket& known) {
      return known.verdict.reason == verdict.reason && known.verdict.plugin == verdict.plugin &&
             known.verdict.code == verdict.code;
    };
    if (bucket >= used || !fits(buckets_[bucket])) {
      const auto end = buckets_.begin() + static_cast<std::ptrdiff_t>(used);
      bucket = static_cast<size_t>(std::find_if(buckets_.begin(), end, fits) - buckets_.begin());
      if (bucket == used) {
        if (++used > buckets_.size()) buckets_.emplace_back();
        buckets_[bucket].verdict = verdict;
        buckets_[bucket].nodes.clear();
      }
    }
    buckets_[bucket].nodes.push_back(slot);
  }
  return used;
}

void DecisionRecords::AddVerdicts(const framework::Profile& profile, const Decision& decision,
                                  const cluster::NodeTable& nodes, AttemptRecord& record) {
  const framework::Diagnosis& diagnosis = decision.diagnosis;
  if (diagnosis.candidates == nullptr || decision.nominated_fast_path) return;
  RecordedVerdicts verdicts;
  size_t looked_at = decision.feasible_count;
  const size_t used = Sort(*diagnosis.candidates);
  verdicts.rejections.reserve(used + diagnosis.candidates->rejected_together().size());
  const auto add = [&](const framework::Verdict& verdict, NodeSet rejected) {
    looked_at += rejected.size();
    verdicts.rejections.push_back({.plugin = verdict.plugin == framework::kNoPlugin
                                                 ? std::nullopt
                                                 : PluginOf(profile.plugin(verdict.plugin).name()),
                                   .code = verdict.code,
                                   .reasons = diagnosis.candidates->reasons().reasons(verdict.reason),
                                   .nodes = std::move(rejected)});
  };
  for (size_t i = 0; i < used; ++i) add(buckets_[i].verdict, NodeSet(buckets_[i].nodes, nodes.slot_limit()));
  for (const Candidates::Rejected& many : diagnosis.candidates->rejected_together()) {
    add(many.verdict, NodeSet(many.nodes, many.count, nodes.slot_limit()));
  }
  if (looked_at < diagnosis.node_count && !diagnosis.absent.reasons.empty()) {
    verdicts.absent = {.plugin = PluginOf(diagnosis.absent.plugin),
                       .code = diagnosis.absent.code,
                       .reasons = diagnosis.absent.reasons,
                       .nodes = {}};
  }
  if (verdicts.rejections.empty() && !verdicts.absent) return;
  const uint64_t hash = verdicts.Hash();
  record.verdicts = Share(verdicts_, hash, std::move(verdicts));
}

void DecisionRecords::AddScores(const Decision& decision, AttemptRecord& record) {
  if (decision.scores == nullptr) return;
  const framework::ScoreBoard& board = *decision.scores;
  const std::span<const framework::PluginScores> columns = std::span(board.plugins).first(board.plugin_count);
  std::vector<RecordedScorePlugin> plugins;
  plugins.reserve(columns.size());
  uint64_t hash = 0;
  for (const framework::PluginScores& column : columns) {
    plugins.push_back({names_.Intern(column.plugin->name()), column.weight});
    hash = MixHash(hash ^ (plugins.back().plugin.index + static_cast<uint64_t>(column.weight) * 64));
  }
  record.score_plugins = Share(score_plugins_, hash, std::move(plugins));

  // Places in the list of feasible nodes: the chosen one, then the best, the first of equals.
  std::vector<size_t> best;
  const size_t limit = std::min(limits_.scored_nodes, decision.feasible.size());
  best.reserve(limit + 1);
  int64_t least = std::numeric_limits<int64_t>::min();  // Nothing up to this gets in any more.
  size_t chosen = 0;
  for (size_t i = 0; i < board.totals.size(); ++i) {
    if (decision.feasible[i] == decision.node) chosen = i;
    if (board.totals[i] <= least && best.size() == limit) continue;
    const auto place = std::ranges::upper_bound(best, board.totals[i], std::greater<>(),
                                                [&](size_t other) { return board.totals[other]; });
    best.insert(place, i);
    if (best.size() > limit) best.pop_back();
    least = board.totals[best.back()];
  }
  std::erase(best, chosen);
  best.insert(best.begin(), chosen);
  if (best.size() > std::max<size_t>(limit, 1)) best.pop_back();

  record.scores.reserve(best.size());
  record.plugin_scores.reserve(best.size() * columns.size());
  for (const size_t i : best) {
    record.scores.push_back({decision.feasible[i], board.totals[i]});
    for (const framework::PluginScores& column : columns) {
      record.plugin_scores.push_back(column.scores[i] * column.weight);
    }
  }
}

void DecisionRecords::Permitted(std::string_view uid, Time now) {
  if (AttemptRecord* record = UnderWay(uid)) record->permitted = now;
}

void DecisionRecords::Bound(std::string_view uid, Time now) {
  if (AttemptRecord* record = UnderWay(uid)) record->ended = now;
}

void DecisionRecords::Refused(std::string_view uid, const std::string& message, Time now) {
  AttemptRecord* record = UnderWay(uid);
  if (record == nullptr) return;
  record->ended = now;
  record->was_refused = true;
  record->message = Text(message);
}

void DecisionRecords::Forget(std::string_view uid) {
  const auto found = by_uid_.find(uid);
  if (found == by_uid_.end()) return;
  for (const std::vector<Entries::iterator> entries = found->second; const Entries::iterator entry : entries)
    Drop(entry);
}

void DecisionRecords::NodeGone(NodeSlot slot) {
  if (!is_on()) return;
  if (gone_.size() <= slot.index) gone_.resize(slot.index + size_t{1});
  gone_[slot.index] = ++era_;
}

std::vector<const AttemptRecord*> DecisionRecords::Of(std::string_view uid) const {
  std::vector<const AttemptRecord*> records;
  const auto found = by_uid_.find(uid);
  if (found == by_uid_.end()) return records;
  for (const Entries::iterator entry : found->second) records.push_back(&entry->record);
  return records;
}

std::string_view DecisionRecords::NameOf(const AttemptRecord& record, NodeSlot slot,
                                         const cluster::NodeTable& nodes) const {
  const bool has_gone = slot.index < gone_.size() && gone_[slot.index] > record.era;
  if (has_gone || slot.index >= nodes.slot_limit() || nodes.in_use[slot.index] == 0) return {};
  return nodes.name[slot.index];
}

std::optional<queue::PluginId> DecisionRecords::PluginOf(std::string_view name) const { return names_.Find(name); }

std::shared_ptr<const std::string> DecisionRecords::Text(const std::string& text) {
  return Share(texts_, HashBytes(text), text);
}

AttemptRecord* DecisionRecords::UnderWay(std::string_view uid) {
  const auto found = by_uid_.find(uid);
  if (found == by_uid_.end()) return nullptr;
  AttemptRecord& last = found->second.back()->record;
  return last.outcome == Outcome::kScheduled && !last.ended ? &last : nullptr;
}

void DecisionRecords::Add(const std::string& uid, AttemptRecord record) {
  record.era = era_;
  const size_t bytes = OwnBytes(record);
  bytes_ += bytes;
  attempts_.push_back({uid, std::move(record), bytes});
  std::vector<Entries::iterator>& own = by_uid_[uid];
  own.push_back(std::prev(attempts_.end()));
  if (own.size() > limits_.attempts) Drop(Entries::iterator(own.front()));
  Trim();
}

void DecisionRecords::Drop(Entries::iterator entry) {
  const auto found = by_uid_.find(entry->uid);
  std::erase(found->second, entry);
  if (found->second.empty()) by_uid_.erase(found);
  Release(entry->record.verdicts);
  Release(entry->record.score_plugins);
  Release(entry->record.message);
  Release(entry->record.group);
  bytes_ -= entry->bytes;
  attempts_.erase(entry);
}

void DecisionRecords::Trim() {
  while (bytes_ > limits_.bytes && !attempts_.empty()) Drop(attempts_.begin());
}

template <class T>
std::shared_ptr<const T> DecisionRecords::Share(cluster::SharedValues<T>& values, uint64_t hash, T value) {
  const std::shared_ptr<const T> known = values.Find(hash);
  if (known != nullptr && *known == value) return known;
  bytes_ += BytesOf(value);
  if (known != nullptr) return std::make_shared<const T>(std::move(value));  // Others have the same hash.
  return values.Put(hash, std::make_unique<T>(std::move(value)));
}

template <class T>
void DecisionRecords::Release(std::shared_ptr<const T>& value) {
  if (value.use_count() == 1) bytes_ -= BytesOf(*value);
  value.reset();
}

}  // namespace berth::scheduler
