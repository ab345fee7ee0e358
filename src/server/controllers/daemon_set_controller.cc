// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/daemon_set_controller.h"

#include <algorithm>
#include <map>

#include "api/selector.h"

namespace berth::server {
namespace {

constexpr std::string_view kManager = "kube-controller-manager";
constexpr std::string_view kVersionLabel = "controller-revision-hash";

// What daemons stay on, whatever their template says.
struct Tolerated {
  std::string_view key;
  std::string_view effect;
};
constexpr Tolerated kTolerated[] = {
    {"node.kubernetes.io/not-ready", "NoExecute"},      {"node.kubernetes.io/unreachable", "NoExecute"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"}, {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},  {"node.kubernetes.io/unschedulable", "NoSchedule"},
};

void AddTolerations(Json& spec) {
  for (const Tolerated& tolerated : kTolerated) {
    spec.Make("tolerations")
        .Append(Json{{"key", Json::String(tolerated.key)},
                     {"effect", Json::String(tolerated.effect)},
                     {"operator", Json::String("Exists")}});
  }
}

bool Tolerates(const Json& toleration, const Json& taint) {
  const std::string& effect = toleration["effect"].text();
  if (!effect.empty() && effect != taint["effect"].text()) return false;
  const std::string& key = toleration["key"].text();
  if (!key.empty() && key != taint["key"].text()) return false;
  return toleration["operator"].text() == "Exists" || toleration["value"].text() == taint["value"].text();
}

bool ToleratesAll(const Json& tolerations, const Json& taints) {
  return std::ranges::all_of(taints.items(), [&](const Json& taint) {
    return taint["effect"].text() == "PreferNoSchedule" ||
           std::ranges::any_of(tolerations.items(), [&](const Json& one) { return Tolerates(one, taint); });
  });
}

std::vector<api::SelectorRequirement> Requirements(const Json& list) {
  std::vector<api::SelectorRequirement> requirements;
  for (const Json& given : list.items()) {
    api::SelectorRequirement requirement{.key = given["key"].text(), .op = given["operator"].text(), .values = {}};
    for (const Json& value : given["values"].items()) requirement.values.push_back(value.text());
    requirements.push_back(std::move(requirement));
  }
  return requirements;
}

// Whether the template's pods may run on the node.
bool Fits(const Json& spec, const StoredObject& node, const Json& tree) {
  for (const Json::Member& label : spec["nodeSelector"].members()) {
    if (!node.labels().Has(label.name) || node.labels().Get(label.name) != label.value.text()) return false;
  }
  const Json& required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  if (required.is_map()) {
    api::NodeSelector selector;
    for (const Json& term : required["nodeSelectorTerms"].items()) {
      selector.terms.push_back({.match_expressions = Requirements(term["matchExpressions"]),
                                .match_fields = Requirements(term["matchFields"])});
    }
    if (!api::NodeSelectorMatcher(selector).Matches(node.labels(), node.name())) return false;
  }
  return ToleratesAll(spec["tolerations"], tree["spec"]["taints"]);
}

// Ties the pod to the node through affinity, so that the scheduler places it.
void Pin(Json& spec, std::string_view node) {
  Json& required = spec.Make({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  const Json field = Json::MakeList({Json{{"key", Json::String("metadata.name")},
                                          {"operator", Json::String("In")},
                                          {"values", Json::MakeList({Json::String(node)})}}});
  Json& terms = required.Make("nodeSelectorTerms");
  if (terms.empty()) terms = Json::MakeList({Json::MakeMap()});
  for (Json& term : terms.mutable_items()) term.Set("matchFields", field);
}

// The node that a pod is on, or was made for.
std::string NodeOf(const PodInfo& pod) {
  if (!pod.node.empty()) return pod.node;
  const Json tree = pod.object->Tree();
  const Json& terms = tree["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
                          ["nodeSelectorTerms"];
  return terms[size_t{0}]["matchFields"][size_t{0}]["values"][size_t{0}].text();
}

}  // namespace

void DaemonSetController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &sets_ && change.type != Change::Type::kDeleted) enqueue(object.key(), Duration{});
  if (&object.resource() == &nodes_) {
    for (const auto& [key, set] : cluster_.store().All(sets_)) enqueue(key, Duration{});
  }
  EnqueueOwner(cluster_, change, sets_.kind, enqueue);
}

std::optional<Duration> DaemonSetController::Sync(const std::string& key) {
  const Store::Objects& all = cluster_.store().All(sets_);
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const ObjectPtr set = found->second;
  const Json tree = set->Tree();
  if (tree["metadata"].Has("deletionTimestamp")) return std::nullopt;
  const std::string version = TemplateHash(tree["spec"]["template"]);
  Json pod_template = tree["spec"]["template"];
  AddTolerations(pod_template.Make("spec"));

  std::multimap<std::string, PodInfo> by_node;
  for (PodInfo& pod : PodsOf(cluster_, *set)) {
    std::string node = NodeOf(pod);
    by_node.emplace(std::move(node), std::move(pod));
  }
  Tally tally;
  size_t made = 0;
  bool is_done = true;
  const bool replaces = tree["spec"]["updateStrategy"]["type"].text() != "OnDelete";
  bool is_replacing = false;  // One node after another.
  std::vector<ObjectPtr> nodes;
  for (const auto& [name, node] : cluster_.store().All(nodes_)) nodes.push_back(node);
  for (const ObjectPtr& node : nodes) {
    const bool fits = Fits(pod_template["spec"], *node, node->Tree());
    bool has_pod = false;
    const auto [begin, end] = by_node.equal_range(std::string(node->name()));
    for (auto at = begin; at != end; ++at) {
      const PodInfo& pod = at->second;
      if (!fits) {
        ++tally.misplaced;
        is_done = DeletePod(cluster_, pod) && is_done;
        continue;
      }
      has_pod = true;
      const bool is_new = pod.object->labels().Get(kVersionLabel) == version;
      if (pod.has_ended() && !pod.is_deleting) is_done = DeletePod(cluster_, pod) && is_done;
      if (!pod.is_active()) {
        is_replacing = true;
        continue;
      }
      ++tally.present;
      if (pod.is_ready) ++tally.ready;
      if (is_new) ++tally.updated;
      if (is_new || !replaces || is_replacing) continue;
      is_replacing = true;
      is_done = DeletePod(cluster_, pod) && is_done;
    }
    if (fits) ++tally.wanted;
    if (!fits || has_pod || made == kBatch) continue;
    is_done = Create(*set, pod_template, node->name(), version) && is_done;
    ++made;
  }
  is_done = Report(*set, tree, tally) && is_done;
  if (!is_done) return kRetry;
  return made == kBatch ? std::optional(Duration{}) : std::nullopt;
}

bool DaemonSetController::Create(const StoredObject& set, const Json& pod_template, std::string_view node,
                                 const std::string& version) {
  Json pod = PodFromTemplate(pod_template, set);
  Json& metadata = pod.Make("metadata");
  metadata.Set("generateName", std::string(set.name()) + "-");
  metadata.Make("labels").Set(kVersionLabel, version);
  Pin(pod.Make("spec"), node);
  return Succeeded(*this, cluster_.objects.Create(pods_, set.ns(), std::move(pod), {.manager = std::string(kManager)}));
}

bool DaemonSetController::Report(const StoredObject& set, const Json& tree, const Tally& tally) {
  return WriteStatus(cluster_, set, [&](Json& status) {
    status.Set("desiredNumberScheduled", Json::Int(tally.wanted));
    status.Set("currentNumberScheduled", Json::Int(tally.present));
    status.Set("numberMisscheduled", Json::Int(tally.misplaced));
    status.Set("numberReady", Json::Int(tally.ready));
    for (const auto& [name, number] : {std::pair<std::string_view, int64_t>{"numberAvailable", tally.ready},
                                       {"numberUnavailable", tally.wanted - tally.ready},
                                       {"updatedNumberScheduled", tally.updated}}) {
      status.Set(name, Json::Int(number));
      if (number == 0) status.Erase(name);
    }
    status.Set("observedGeneration", tree["metadata"]["generation"]);
  });
}

}  // namespace berth::server
