// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/service_affinity.h"

#include <algorithm>

#include "plugins/helpers/default_selector.h"
#include "plugins/helpers/node_memo.h"
#include "plugins/legacy/args.h"
#include "plugins/legacy/spreading.h"

namespace berth::plugins::legacy {
namespace {

using framework::Status;

api::Selector AllLabelsOf(const cluster::PodInfo& pod) { return api::Selector::FromLabels(pod.labels()); }

}  // namespace

struct ServiceAffinity::State : framework::PluginState {
  struct Alike {
    const cluster::PodInfo* pod;
    bool is_there;  // A trial that takes a pod away has to find its place again when it puts it back.
  };

  api::Labels wanted;      // By the node selector.
  bool asks_pods = false;  // It does not name all labels, and a service selects the pod.
  std::vector<Alike> alike;

  // nullptr if there is none.
  const cluster::PodInfo* first() const {
    const auto it = std::ranges::find(alike, true, &Alike::is_there);
    return it == alike.end() ? nullptr : it->pod;
  }
  Alike* Find(const cluster::PodInfo& pod) {
    const auto it = std::ranges::find_if(alike, [&](const Alike& other) { return SamePod(*other.pod, pod); });
    return it == alike.end() ? nullptr : &*it;
  }
};

api::Labels SelectedLabels(const std::vector<std::string>& keys, const std::optional<api::Labels>& node_selector) {
  api::Labels selected;
  if (node_selector) TakeMissingLabels(keys, *node_selector, selected);
  return selected;
}

void TakeMissingLabels(const std::vector<std::string>& keys, const api::Labels& node_labels, api::Labels& wanted) {
  for (const std::string& key : keys) {
    const std::string* value = node_labels.Find(key);
    if (value != nullptr && !wanted.Has(key)) wanted.Set(key, *value);
  }
}

std::vector<const cluster::PodInfo*> PodsAlike(const cluster::PodInfo& pod, const cluster::Cluster& cluster) {
  const std::shared_ptr<const cluster::PodCounter> counter = cluster.CountPods(
      {.namespaces = {pod.ns()}, .all_namespaces = false, .selectors = {AllLabelsOf(pod)}, .skip_terminating = false});
  std::vector<const cluster::PodInfo*> alike;
  for (const cluster::NodeSlot slot : cluster.order()) {
    if (counter->count(slot) == 0) continue;
    for (const cluster::PodPtr& other : cluster.nodes().pods[slot.index].pods) {
      if (counter->Matches(*other)) alike.push_back(other.get());
    }
  }
  return alike;
}

std::vector<int64_t> CountServicePods(const cluster::PodInfo& pod, const cluster::Cluster& cluster,
                                      std::span<const cluster::NodeSlot> nodes) {
  const std::vector<const api::Service*> services = ServicesOf(pod, cluster.objects);
  if (services.empty() || services.front()->selector->empty()) return std::vector<int64_t>(nodes.size());
  return CountPods(cluster, pod.ns(), {api::Selector::FromLabels(*services.front()->selector)}, nodes);
}

Result<std::unique_ptr<framework::Plugin>> ServiceAffinity::Create(const framework::PluginContext& context,
                                                                   Release release) {
  return std::make_unique<ServiceAffinity>(BERTH_TRY(ArgsAs<Args>(context, "ServiceAffinityArgs", release)));
}

framework::PreFilterResult ServiceAffinity::PreFilter(framework::Cycle& cycle) const {
  if (args_.affinity_labels.empty()) return {};
  const cluster::PodInfo& pod = cycle.pod();
  State& state = cycle.MakeState<State>(index());
  state.wanted = SelectedLabels(args_.affinity_labels, pod.spec().node_selector);
  // A label that is listed twice makes upstream look at the pods, too; what it finds there changes nothing then.
  state.asks_pods =
      args_.affinity_labels.size() > state.wanted.size() && !ServicesOf(pod, cycle.cluster().objects).empty();
  if (!state.asks_pods) return {};
  for (const cluster::PodInfo* alike : PodsAlike(pod, cycle.cluster())) state.alike.push_back({alike, true});
  return {};
}

Status ServiceAffinity::AddPod(framework::Cycle& cycle, const cluster::PodInfo& pod, cluster::NodeSlot) const {
  State& state = *cycle.state<State>(index());
  if (!state.asks_pods || pod.ns() != cycle.pod().ns() || !AllLabelsOf(cycle.pod()).Matches(pod.labels())) return {};
  // A pod that comes back is not put behind the others as upstream does: it is on the node under trial, which agrees
  // with itself, so that its place makes no difference there, while it does for other nodes later.
  if (State::Alike* known = state.Find(pod)) {
    known->is_there = true;
  } else {
    state.alike.push_back({&pod, true});
  }
  return {};
}

Status ServiceAffinity::RemovePod(framework::Cycle& cycle, const cluster::PodInfo& pod, cluster::NodeSlot) const {
  if (State::Alike* known = cycle.state<State>(index())->Find(pod)) known->is_there = false;
  return {};
}

void ServiceAffinity::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  if (args_.affinity_labels.empty()) return;
  const State& state = *cycle.state<State>(index());
  const cluster::NodeTable& nodes = cycle.nodes();
  api::Labels wanted = state.wanted;
  if (const cluster::PodInfo* first = state.asks_pods ? state.first() : nullptr) {
    cluster::NodeSlot slot;
    // A pod that is only nominated has no node yet.
    if (!nodes.Find(first->node_name, slot) || nodes.has_node[slot.index] == 0) {
      if (!candidates.empty()) candidates.SetError(Status::Error("node not found"));
      return;
    }
    TakeMissingLabels(args_.affinity_labels, nodes.node[slot.index]->meta.labels, wanted);
  }
  const api::Selector selector = api::Selector::FromLabels(wanted);
  NodeMemo<bool> memo(nodes, wanted.Has(cluster::kHostnameLabel));
  candidates.RejectIf(framework::StatusCode::kUnschedulable, kReason, [&](cluster::NodeSlot slot) {
    return memo.Get(slot, [&](const api::Labels& labels, std::string_view) { return !selector.Matches(labels); });
  });
}

Status ServiceAffinity::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                              framework::Scores& scores) const {
  std::ranges::copy(CountServicePods(cycle.pod(), cycle.cluster(), nodes), scores.MakeArray(nodes.size()).begin());
  return Status::Success();
}

Status ServiceAffinity::Normalize(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                                  framework::Scores& scores) const {
  const std::vector<std::string>& labels = args_.anti_affinity_labels_preference;
  std::vector<double> sums(nodes.size());
  for (const std::string& label : labels) {
    AddScoreByLabel(scores.values(), DomainsOf(cycle.nodes(), label, nodes), framework::kMaxNodeScore, labels.size(),
                    sums);
  }
  std::ranges::transform(sums, scores.values().begin(), [](double sum) { return static_cast<int64_t>(sum); });
  return Status::Success();
}

}  // namespace berth::plugins::legacy
