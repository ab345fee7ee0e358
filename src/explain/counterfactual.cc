// SPDX-License-Identifier: Apache-2.0
#include "explain/counterfactual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "explain/counterfactual_search.h"
#include "explain/object_forms.h"
#include "explain/wrapped_text.h"

namespace berth::explain {

using api::Json;
using cluster::NodeSlot;

Result<CounterfactualAnswer> Counterfactuals(scheduler::Core& core, std::string_view name, Time now, Pacer& pacer) {
  const cluster::PodPtr pod = core.pods().Find(name);
  if (pod == nullptr) return Fail(Code::kNotFound, fmt::format("there is no pod {}", name));
  if (core.cluster().FindPod(pod->uid) != nullptr) return Invalid(fmt::format("pod {} has a node", name));
  if (core.policy().ProfileOf(*pod) == nullptr) {
    return Invalid(fmt::format("pod {}: no profile has the scheduler name {}", name, pod->spec().scheduler_name));
  }
  return CounterfactualSearch(core, *pod, now, pacer).Run();
}

CounterfactualSearch::CounterfactualSearch(scheduler::Core& core, const cluster::PodInfo& pod, Time now, Pacer& pacer)
    : core_(core), pod_(PodOf(pod)), profile_(*core.policy().ProfileOf(pod)), now_(now), pacer_(pacer) {}

Result<CounterfactualAnswer> CounterfactualSearch::Run() {
  CounterfactualAnswer answer;
  answer.pod = api::FullName(pod_.meta);
  const Finding present = Try(pod_);
  answer.is_placed_now = present.is_placed;
  answer.message = present.message;
  answer.nominated_node = present.nominated_node;
  answer.victims = present.victims;
  if (present.is_placed) return answer;
  {
    const cluster::PodPtr made = core_.MakePod(pod_);
    const std::unique_ptr<framework::Cycle> cycle = core_.MakeCycle(profile_, made, now_);
    const scheduler::Decision decision = core_.Decide(profile_, *cycle);
    if (const framework::Candidates* candidates = decision.diagnosis.candidates) {
      for (const NodeSlot slot : candidates->rejected()) {
        for (const std::string& reason : candidates->reasons().reasons(candidates->verdict(slot).reason)) {
          reasons_.emplace_back(reason, slot);
        }
      }
    }
  }
  BERTH_CHECK_OK(TryGates());
  BERTH_CHECK_OK(TryTolerations());
  BERTH_CHECK_OK(TryUncordoning());
  BERTH_CHECK_OK(TryNodeSelector());
  BERTH_CHECK_OK(TryNodeAffinity());
  BERTH_CHECK_OK(TryPodTerms(false));
  BERTH_CHECK_OK(TryPodTerms(true));
  BERTH_CHECK_OK(TryLabels());
  BERTH_CHECK_OK(TrySpreading());
  BERTH_CHECK_OK(TryPorts());
  BERTH_CHECK_OK(TryClaimsAndVolumes());
  BERTH_CHECK_OK(TryRequests());
  BERTH_CHECK_OK(TryPodSlots());
  BERTH_CHECK_OK(TryMoreNodes());
  if (present.nominated_node.empty()) BERTH_CHECK_OK(TryPriority());
  std::ranges::stable_sort(found_, [](const Counterfactual& a, const Counterfactual& b) {
    return std::tie(a.size, a.text) < std::tie(b.size, b.text);
  });
  answer.changes = std::move(found_);
  return answer;
}

bool CounterfactualSearch::IsBlamed(std::string_view reason) const {
  return std::ranges::any_of(reasons_, [&](const auto& each) { return each.first == reason; });
}

CounterfactualSearch::Finding CounterfactualSearch::Try(const api::Pod& pod) const {
  const cluster::PodPtr made = core_.MakePod(pod);
  Finding finding;
  if (const framework::Status gate = profile_.RunPreEnqueue(*made, core_.cluster()); !gate.ok()) {
    finding.message = gate.message();
    return finding;
  }
  const std::unique_ptr<framework::Cycle> cycle = core_.MakeCycle(profile_, made, now_);
  const scheduler::Decision decision = core_.Decide(profile_, *cycle);
  finding.is_placed = decision.outcome == scheduler::Outcome::kScheduled;
  finding.message = decision.full_message;
  if (finding.is_placed) {
    finding.node = core_.cluster().nodes().name[decision.node.index];
  } else if (decision.post_filter && decision.post_filter->nominated_node_name) {
    finding.nominated_node = *decision.post_filter->nominated_node_name;
    for (const framework::Effect& effect : decision.effects) {
      if (const auto* eviction = std::get_if<framework::EvictPod>(&effect)) {
        finding.victims.push_back(eviction->victim->full_name());
      }
    }
  }
  return finding;
}

std::vector<NodeSlot> CounterfactualSearch::FitsOn(const api::Pod& pod) const {
  const cluster::PodPtr made = core_.MakePod(pod);
  if (!profile_.RunPreEnqueue(*made, core_.cluster()).ok()) return {};
  const std::unique_ptr<framework::Cycle> cycle = core_.MakeCycle(profile_, made, now_);
  framework::Candidates& candidates = cycle->candidates();
  candidates.Reset({}, cycle->nodes().slot_limit());
  const framework::PreFilterOutcome outcome = profile_.RunPreFilter(*cycle);
  if (!outcome.status.ok()) return {};
  std::vector<NodeSlot> nodes(cycle->order().begin(), cycle->order().end());
  if (outcome.node_names) {
    std::erase_if(nodes, [&](NodeSlot slot) {
      return !std::ranges::binary_search(*outcome.node_names, core_.cluster().nodes().name[slot.index]);
    });
  }
  candidates.Restart(nodes);
  profile_.RunFilters(*cycle, candidates);
  if (!candidates.error().ok()) return {};
  return {candidates.nodes().begin(), candidates.nodes().end()};
}

Result<bool> CounterfactualSearch::Consider(const api::Pod& changed, Counterfactual change) {
  BERTH_CHECK_OK(pacer_.Pause());
  Finding finding = Try(changed);
  if (!finding.is_placed) return false;
  change.node = std::move(finding.node);
  found_.push_back(std::move(change));
  return true;
}

Result<bool> CounterfactualSearch::ConsiderNode(const api::Node& node, Counterfactual change) {
  const cluster::NodeTable& nodes = core_.cluster().nodes();
  NodeSlot slot;
  const bool is_new = !nodes.Find(node.meta.name, slot) || nodes.has_node[slot.index] == 0;
  std::optional<api::Node> before;
  if (!is_new) before = NodeOf(core_.cluster(), slot);
  (void)core_.Step({now_, scheduler::PutObject{node}});
  const Result<bool> helps = Consider(pod_, std::move(change));
  if (is_new) {
    (void)core_.Step({now_, scheduler::RemoveObject{"Node", "", node.meta.name}});
  } else {
    (void)core_.Step({now_, scheduler::PutObject{*std::move(before)}});
  }
  return helps;
}

Json ToJson(const CounterfactualAnswer& answer) {
  const auto list = [](const std::vector<std::string>& texts) {
    Json made = Json::MakeList();
    for (const std::string& text : texts) made.Append(Json::String(text));
    return made;
  };
  Json changes = Json::MakeList();
  for (const Counterfactual& each : answer.changes) {
    Json one{{"kind", Json::String(each.kind)},
             {"text", Json::String(each.text)},
             {"size", Json::Number(fmt::format("{:.3f}", each.size))},
             {"node", Json::String(each.node)}};
    if (!each.victims.empty()) one.Set("victims", list(each.victims));
    if (!each.pod_patch.is_null()) one.Set("podPatch", each.pod_patch);
    if (!each.change.is_null()) one.Set("change", each.change);
    changes.Append(std::move(one));
  }
  Json map{{"pod", Json::String(answer.pod)},
           {"placedNow", Json::Bool(answer.is_placed_now)},
           {"message", Json::String(answer.message)},
           {"changes", std::move(changes)}};
  if (!answer.nominated_node.empty()) {
    map.Set("nominatedNode", std::string_view(answer.nominated_node));
    map.Set("victims", list(answer.victims));
  }
  return map;
}

std::string CounterfactualText(const Json& answer) {
  if (answer["placedNow"].AsBool()) return "it would be placed now\n";
  std::string text;
  if (answer.Has("nominatedNode")) {
    text += Wrapped(fmt::format("room is made on {}: {} pods are evicted", answer["nominatedNode"].text(),
                                answer["victims"].size()),
                    0);
  }
  if (answer["changes"].empty()) return text + "no single change would place it\n";
  text += "any one of these would place it:\n";
  for (const Json& each : answer["changes"].items()) {
    std::string line = fmt::format("- {} -> {}", each["text"].text(), each["node"].text());
    for (size_t i = 0; i < each["victims"].size(); ++i) {
      line += fmt::format("{} {}", i == 0 ? ", evicting" : ",", each["victims"][i].text());
    }
    text += Wrapped(line, 2);
  }
  return text;
}

}  // namespace berth::explain
