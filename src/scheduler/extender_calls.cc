// SPDX-License-Identifier: Apache-2.0
#include "scheduler/extender_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/tables/string_map.h"

namespace berth::scheduler {
namespace {

using framework::Cycle;
using framework::Status;
using framework::StatusCode;

Status Wait() { return {StatusCode::kWait, {}, {}}; }

}  // namespace

NodeSlot ReturnedNodes::Add(cluster::Cluster& cluster, const api::Node& node) {
  rows_.push_back(
      cluster.mutable_nodes().AddLoose(std::make_shared<const api::Node>(node), cluster.mutable_resource_names()));
  return rows_.back();
}

void ReturnedNodes::Clear(cluster::Cluster& cluster) {
  for (const NodeSlot row : rows_) cluster.mutable_nodes().FreeLoose(row);
  rows_.clear();
}

void ExtenderCalls::Skip(const Extender& extender, std::string_view stage, std::string error, std::string node) {
  decision_.skipped_extenders.push_back({extender.index, stage, std::move(error), std::move(node)});
}

ExtenderDialog::Question ExtenderCalls::NodesQuestion(const Cycle& cycle, const Extender& extender,
                                                      const std::string& verb, std::span<const NodeSlot> nodes) const {
  ExtenderDialog::Question question{.verb = verb, .body = {}, .subjects = {}};
  std::vector<const api::Node*> objects;
  for (const NodeSlot slot : nodes) {
    objects.push_back(cycle.nodes().node[slot.index].get());
    question.subjects.push_back(cycle.nodes().name[slot.index]);
  }
  std::ranges::sort(question.subjects);
  question.body = NodesRequest(cycle.pod(), objects, extender.configuration.node_cache_capable);
  return question;
}

Status ExtenderCalls::Filter(Cycle& cycle, Stage stage, std::vector<NodeSlot>& nodes) {
  for (const Extender& extender : extenders_.all()) {
    const framework::ExtenderConfiguration& configuration = extender.configuration;
    if (nodes.empty()) break;
    if (configuration.filter_verb.empty() || !extender.IsInterested(cycle.pod())) continue;
    const ExtenderDialog::Exchange& exchange =
        dialog_.Ask(stage, extender, [&] { return NodesQuestion(cycle, extender, configuration.filter_verb, nodes); });
    if (!exchange.answer) return Wait();

    const auto& answer = std::get<Result<FilterAnswer>>(*exchange.answer);
    Result<std::vector<NodeSlot>> passed = Passed(cycle, extender, exchange.question, answer, nodes);
    if (!passed) {
      if (!configuration.ignorable) return Status::Error(passed.error().message);
      Skip(extender, "filter", passed.error().message);
      continue;
    }
    Blame(cycle, *answer);
    nodes = *std::move(passed);
  }
  return Status::Success();
}

Result<std::vector<NodeSlot>> ExtenderCalls::Passed(Cycle& cycle, const Extender& extender,
                                                    const ExtenderDialog::Question& question,
                                                    const Result<FilterAnswer>& given,
                                                    const std::vector<NodeSlot>& nodes) {
  if (!given) return std::unexpected(given.error());
  const FilterAnswer& answer = *given;
  if (!answer.error.empty()) return Fail(Code::kUnavailable, answer.error);
  cluster::StringMap<NodeSlot> by_name;
  for (const NodeSlot slot : nodes) by_name.insert_or_assign(cycle.nodes().name[slot.index], slot);
  std::vector<NodeSlot> passed;
  if (extender.configuration.node_cache_capable && answer.node_names) {
    for (const std::string& name : *answer.node_names) {
      const auto it = by_name.find(name);
      if (it != by_name.end()) {
        passed.push_back(it->second);
      } else if (!question.IsAbout(name)) {
        return Invalid(
            fmt::format("extender \"{}\" claims a filtered node \"{}\" which is not found in the input node list",
                        extender.configuration.url_prefix, name));
      }
    }
  } else if (answer.nodes) {
    for (const api::Node& node : *answer.nodes) {
      const bool fits_no_more = question.IsAbout(node.meta.name) && !by_name.contains(node.meta.name);
      if (!fits_no_more) passed.push_back(returned_.Add(cycle.mutable_cluster(), node));
    }
  }
  return passed;
}

void ExtenderCalls::Blame(Cycle& cycle, const FilterAnswer& answer) {
  framework::Candidates& candidates = cycle.candidates();
  const auto blame = [&](StatusCode code, const std::string& name, const std::string& why) {
    NodeSlot slot;
    if (cycle.nodes().Find(name, slot) && cycle.nodes().has_node[slot.index]) {
      candidates.set_verdict(slot, {code, framework::kNoPlugin, candidates.reasons().Intern(why)});
    } else {
      decision_.diagnosis.strangers.insert_or_assign(name, Status{code, {why}, {}});
    }
  };
  for (const auto& [name, why] : answer.failed_and_unresolvable) {
    blame(StatusCode::kUnschedulableAndUnresolvable, name, why);
  }
  for (const auto& [name, why] : answer.failed) {
    if (!answer.failed_and_unresolvable.contains(name)) blame(StatusCode::kUnschedulable, name, why);
  }
}

Status ExtenderCalls::Prioritize(Cycle& cycle, std::span<const NodeSlot> nodes, std::vector<int64_t>& totals,
                                 std::vector<uint8_t>& has_entry) {
  bool waits = false;
  cluster::StringMap<uint64_t> sums;  // Unsigned, because upstream's arithmetic wraps.
  for (const Extender& extender : extenders_.all()) {
    const framework::ExtenderConfiguration& configuration = extender.configuration;
    if (!extender.IsInterested(cycle.pod())) continue;
    ExtenderScores scores{.extender = extender.index, .entries = {}};
    if (configuration.prioritize_verb.empty()) {
      for (const NodeSlot slot : nodes) scores.entries.push_back({cycle.nodes().name[slot.index], 0});
    } else {
      const ExtenderDialog::Exchange& exchange = dialog_.Ask(Stage::kPrioritize, extender, [&] {
        return NodesQuestion(cycle, extender, configuration.prioritize_verb, nodes);
      });
      if (!exchange.answer) {
        waits = true;
        continue;
      }
      const auto& answer = std::get<Result<std::vector<HostPriority>>>(*exchange.answer);
      if (!answer) {
        Skip(extender, "prioritize", answer.error().message);
        continue;
      }
      scores.entries = *answer;
    }
    const uint64_t factor =
        static_cast<uint64_t>(configuration.weight) * static_cast<uint64_t>(extenders_.score_scale());
    for (const HostPriority& entry : scores.entries) sums[entry.host] += static_cast<uint64_t>(entry.score) * factor;
    decision_.extender_scores.push_back(std::move(scores));
  }
  if (waits) return Wait();
  has_entry.assign(nodes.size(), 0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto it = sums.find(cycle.nodes().name[nodes[i].index]);
    if (it == sums.end()) continue;
    has_entry[i] = 1;
    totals[i] = static_cast<int64_t>(static_cast<uint64_t>(totals[i]) + it->second);
  }
  return Status::Success();
}

namespace {

using PreemptionCandidates = std::vector<framework::PreemptionCandidate>;

ExtenderDialog::Question PreemptQuestion(const Cycle& cycle, const Extender& extender,
                                         const PreemptionCandidates& candidates) {
  ExtenderDialog::Question question{.verb = extender.configuration.preempt_verb, .body = {}, .subjects = {}};
  std::map<std::string, ExtenderVictims> victims;
  for (const framework::PreemptionCandidate& candidate : candidates) {
    const std::string& name = cycle.nodes().name[candidate.node.index];
    victims[name] = {candidate.victims, candidate.pdb_violations};
    for (const cluster::PodPtr& pod : candidate.victims) question.subjects.push_back(name + "/" + pod->uid);
  }
  std::ranges::sort(question.subjects);
  question.body = PreemptRequest(cycle.pod(), victims, extender.configuration.node_cache_capable);
  return question;
}

// The candidate that the extender names. One without victims is a mistake of the extender, unless all have gone since
// it was asked: then there is nothing.
Result<std::optional<framework::PreemptionCandidate>> Named(const Cycle& cycle, const Extender& extender,
                                                            const ExtenderDialog::Question& question,
                                                            const std::string& name, const MetaVictims& named) {
  framework::PreemptionCandidate candidate{.node = {}, .victims = {}, .pdb_violations = named.num_pdb_violations};
  if (!cycle.nodes().Find(name, candidate.node) || !cycle.nodes().has_node[candidate.node.index]) {
    return Fail(Code::kNotFound, fmt::format("nodeinfo not found for node name \"{}\"", name));
  }
  const std::vector<cluster::PodPtr>& pods = cycle.nodes().pods[candidate.node.index].pods;
  bool some_have_gone = false;
  for (const std::string& uid : named.uids) {
    const auto pod = std::ranges::find_if(pods, [&](const cluster::PodPtr& other) { return other->uid == uid; });
    if (pod != pods.end()) {
      candidate.victims.push_back(*pod);
    } else if (question.IsAbout(name + "/" + uid)) {
      some_have_gone = true;
    } else {
      return Invalid(
          fmt::format("extender: {} claims to preempt pod (UID: &{{{}}}) on node: {}, but the pod is not found "
                      "on that node",
                      extender.configuration.url_prefix, uid, name));
    }
  }
  if (candidate.victims.empty() && some_have_gone) return std::nullopt;
  return candidate;
}

Result<PreemptionCandidates> NamedCandidates(const Cycle& cycle, const Extender& extender,
                                             const ExtenderDialog::Exchange& exchange) {
  const PreemptAnswer answer = BERTH_TRY(std::get<Result<PreemptAnswer>>(*exchange.answer));
  PreemptionCandidates candidates;
  for (const auto& [name, named] : answer) {
    auto candidate = BERTH_TRY(Named(cycle, extender, exchange.question, name, named));
    if (candidate) candidates.push_back(*std::move(candidate));
  }
  return candidates;
}

}  // namespace

Status ExtenderCalls::Review(Cycle& cycle, PreemptionCandidates& candidates) {
  for (const Extender& extender : extenders_.all()) {
    const bool ignorable = extender.configuration.ignorable;
    if (candidates.empty()) break;
    if (extender.configuration.preempt_verb.empty() || !extender.IsInterested(cycle.pod())) continue;
    const ExtenderDialog::Exchange& exchange =
        dialog_.Ask(Stage::kPreempt, extender, [&] { return PreemptQuestion(cycle, extender, candidates); });
    if (!exchange.answer) return Wait();
    Result<PreemptionCandidates> named = NamedCandidates(cycle, extender, exchange);
    if (!named) {
      if (!ignorable) return Status::Error(named.error().message);
      Skip(extender, "preempt", named.error().message);
      continue;
    }
    for (const framework::PreemptionCandidate& candidate : *named) {
      if (!candidate.victims.empty()) continue;
      const std::string& name = cycle.nodes().name[candidate.node.index];
      if (!ignorable) return Status::Error(fmt::format("expected at least one victim pod on node \"{}\"", name));
      Skip(extender, "preempt", {}, name);
    }
    std::erase_if(*named, [](const framework::PreemptionCandidate& candidate) { return candidate.victims.empty(); });
    candidates = *std::move(named);
  }
  return Status::Success();
}

}  // namespace berth::scheduler
