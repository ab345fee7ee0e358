// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/owned_pods.h"

#include <algorithm>
#include <tuple>

#include "server/model/label_selector.h"

namespace berth::server {
namespace {

constexpr std::string_view kHashAlphabet = "bcdfghjklmnpqrstvwxz2456789";

}  // namespace

Json ControllerReference(const StoredObject& owner) {
  return Json{{"apiVersion", Json::String(owner.resource().api_version)},
              {"kind", Json::String(owner.resource().kind)},
              {"name", Json::String(owner.name())},
              {"uid", Json::String(owner.uid())},
              {"controller", Json::Bool(true)},
              {"blockOwnerDeletion", Json::Bool(true)}};
}

const Json& ControllerOf(const Json& object) {
  static const Json kNone;
  for (const Json& owner : object["metadata"]["ownerReferences"].items()) {
    if (owner["controller"].AsBool()) return owner;
  }
  return kNone;
}

bool TakeOver(const Controller& controller, const Cluster& cluster, const StoredObject& owner,
              const StoredObject& object) {
  const auto written =
      cluster.objects.Update(object.resource(), object.ns(), object.name(),
                             {.manager = std::string(kControllerManager)}, [&](const Json& current) -> Outcome<Json> {
                               Json changed = current;
                               changed.Make({"metadata", "ownerReferences"}).Append(ControllerReference(owner));
                               return changed;
                             });
  return Succeeded(controller, written);
}

Json PodFromTemplate(const Json& pod_template, const StoredObject& owner) {
  Json pod{{"apiVersion", Json::String("v1")}, {"kind", Json::String("Pod")}, {"spec", pod_template["spec"]}};
  Json& metadata = pod.Make("metadata");
  for (const std::string_view part : {"labels", "annotations", "finalizers"}) {
    if (pod_template["metadata"].Has(part)) metadata.Set(part, pod_template["metadata"][part]);
  }
  metadata.Set("namespace", owner.ns());
  metadata.Set("ownerReferences", Json::MakeList({ControllerReference(owner)}));
  return pod;
}

std::vector<PodInfo> PodsOf(const Cluster& cluster, const StoredObject& owner) {
  std::vector<PodInfo> pods;
  for (const std::string& key : cluster.pods.OfOwner(owner.uid())) pods.push_back(*cluster.pods.Find(key));
  return pods;
}

bool AdoptPods(const Controller& controller, const Cluster& cluster, const StoredObject& owner, const Json& selector) {
  const auto compiled = api::Selector::Compile(ReadLabelSelector(selector));
  if (!compiled) return true;
  std::vector<ObjectPtr> found;
  const std::string prefix = std::string(owner.ns()) + "/";
  const PodIndex::Keys& orphans = cluster.pods.OfOwner("");
  for (auto at = orphans.lower_bound(prefix); at != orphans.end() && at->starts_with(prefix); ++at) {
    const PodInfo& pod = *cluster.pods.Find(*at);
    if (pod.is_active() && compiled->Matches(pod.object->labels())) found.push_back(pod.object);
  }
  return std::ranges::all_of(found, [&](const ObjectPtr& pod) { return TakeOver(controller, cluster, owner, *pod); });
}

void SortForRemoval(std::vector<PodInfo>& pods) {
  const auto rank = [](const PodInfo& pod) {
    return std::make_tuple(!pod.node.empty(), pod.phase == PodInfo::Phase::kRunning, pod.is_ready,
                           -pod.object->revision());
  };
  std::ranges::sort(pods, {}, rank);
}

bool DeletePod(const Cluster& cluster, const PodInfo& pod) {
  const auto deleted =
      cluster.objects.Delete(pod.object->resource(), pod.object->ns(), pod.object->name(), {.uid = pod.object->uid()});
  return deleted || deleted.error().code == 404;
}

std::string TemplateHash(const Json& pod_template) {
  // FNV-1a, as upstream hashes; what it hashes differs.
  uint32_t hash = 2166136261;
  for (const char c : pod_template.ToText()) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  std::string text;
  for (const char digit : std::to_string(hash))
    text += kHashAlphabet[static_cast<size_t>(digit) % kHashAlphabet.size()];
  return text;
}

bool WriteStatus(const Cluster& cluster, const StoredObject& object, std::move_only_function<void(Json& status)> edit) {
  const auto written = cluster.objects.Update(object.resource(), object.ns(), object.name(),
                                              {.manager = std::string(kControllerManager), .subresource = "status"},
                                              [&](const Json& current) -> Outcome<Json> {
                                                Json changed = current;
                                                edit(changed.Make("status"));
                                                return changed;
                                              });
  return written || written.error().code == 404;
}

}  // namespace berth::server
