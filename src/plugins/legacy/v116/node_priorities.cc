// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/node_priorities.h"

#include <algorithm>

#include "plugins/helpers/node_memo.h"
#include "plugins/legacy/prefer_avoid.h"
#include "plugins/node_affinity/preferred_node_terms.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;
using framework::Scores;
using framework::Status;

// The pod's preferred terms without what they say about fields.
std::vector<api::PreferredSchedulingTerm> LabelTerms(const api::PodSpec& spec) {
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->preferred) return {};
  std::vector<api::PreferredSchedulingTerm> terms = *spec.affinity->node_affinity->preferred;
  for (api::PreferredSchedulingTerm& term : terms) term.preference.match_fields.clear();
  return terms;
}

int64_t CountUntolerated(const std::vector<api::Toleration>& tolerations, const std::vector<api::Taint>& taints) {
  return std::ranges::count_if(taints, [&](const api::Taint& taint) {
    return taint.effect == "PreferNoSchedule" && !api::Tolerates(tolerations, taint, false);
  });
}

}  // namespace

Status NodeAffinityPriority::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const {
  const Result<PreferredNodeTerms> terms = PreferredNodeTerms::Compile(LabelTerms(cycle.pod().spec()));
  if (!terms) return Status::Error(terms.error().message);
  if (terms->empty()) {
    scores.SetUniform(nodes.size(), 0);
    return Status::Success();
  }
  NodeMemo<int64_t> memo(cycle.nodes(), terms->tells_nodes_apart());
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    values[i] = memo.Get(nodes[i],
                         [&](const api::Labels& labels, std::string_view name) { return terms->Score(labels, name); });
  }
  return Status::Success();
}

Status NodeAffinityPriority::Normalize(framework::Cycle&, std::span<const NodeSlot>, Scores& scores) const {
  NormalizeToMaxPriority(scores, false);
  return Status::Success();
}

Status TaintTolerationPriority::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const {
  const cluster::TaintSets& sets = cycle.nodes().taint_sets();
  std::vector<int64_t> counts(sets.id_limit());  // By taint set.
  for (uint32_t id = 0; id < counts.size(); ++id) {
    if (sets.value(id) != nullptr) counts[id] = CountUntolerated(cycle.pod().spec().tolerations, *sets.value(id));
  }
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) values[i] = counts[cycle.nodes().taint_set[nodes[i].index]];
  return Status::Success();
}

Status TaintTolerationPriority::Normalize(framework::Cycle&, std::span<const NodeSlot>, Scores& scores) const {
  NormalizeToMaxPriority(scores, true);
  return Status::Success();
}

Status NodePreferAvoidPodsPriority::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                                          Scores& scores) const {
  const api::OwnerReference& controller = cycle.pod().pod_template->controller;
  if (controller.kind.empty()) {
    scores.SetUniform(nodes.size(), kMaxPriority);
    return Status::Success();
  }
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const api::Labels& annotations = cycle.nodes().node[nodes[i].index]->meta.annotations;
    values[i] = IsAvoided(controller, annotations) ? 0 : kMaxPriority;
  }
  return Status::Success();
}

Result<std::unique_ptr<framework::Plugin>> NodeLabelPriority::Create(const framework::PluginContext& context) {
  const auto* args = context.args.As<Args>();
  if (args == nullptr || args->present_labels_preference.size() + args->absent_labels_preference.size() != 1) {
    return Invalid("the preference of one label is needed");
  }
  const bool presence = !args->present_labels_preference.empty();
  return std::make_unique<NodeLabelPriority>(
      context.name, presence ? args->present_labels_preference[0] : args->absent_labels_preference[0], presence);
}

Status NodeLabelPriority::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes, Scores& scores) const {
  NodeMemo<int64_t> memo(cycle.nodes(), label_ == cluster::kHostnameLabel);
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    values[i] = memo.Get(nodes[i], [&](const api::Labels& labels, std::string_view) {
      return labels.Has(label_) == presence_ ? kMaxPriority : 0;
    });
  }
  return Status::Success();
}

Status EqualPriority::Score(framework::Cycle&, std::span<const NodeSlot> nodes, Scores& scores) const {
  scores.SetUniform(nodes.size(), 1);
  return Status::Success();
}

}  // namespace berth::plugins::legacy::v116
