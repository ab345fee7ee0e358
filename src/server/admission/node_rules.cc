// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "server/admission/rules.h"

namespace berth::server {
namespace {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr int64_t kToleratedSeconds = 300;

bool IsPod(const AdmissionRequest& request) {
  return request.resource.plural == "pods" && request.subresource.empty() && request.object != nullptr;
}

bool Tolerates(const Json& tolerations, std::string_view key) {
  return std::ranges::any_of(tolerations.items(), [&](const Json& toleration) {
    const std::string& effect = toleration["effect"].text();
    const std::string& tolerated = toleration["key"].text();
    return (tolerated == key || tolerated.empty()) && (effect == "NoExecute" || effect.empty());
  });
}

}  // namespace

Outcome<void> TolerateFailingNodes(const AdmissionRequest& request, const ClusterView& /*cluster*/) {
  if (!IsPod(request)) return {};
  for (const std::string_view key : {kNotReady, kUnreachable}) {
    if (Tolerates((*request.object)["spec"]["tolerations"], key)) continue;
    request.object->Make({"spec", "tolerations"})
        .Append(Json{{"effect", Json::String("NoExecute")},
                     {"key", Json::String(key)},
                     {"operator", Json::String("Exists")},
                     {"tolerationSeconds", Json::Int(kToleratedSeconds)}});
  }
  return {};
}

Outcome<void> TaintNewNode(const AdmissionRequest& request, const ClusterView& /*cluster*/) {
  if (request.resource.plural != "nodes" || request.verb != Verb::kCreate) return {};
  const Json& taints = (*request.object)["spec"]["taints"];
  if (std::ranges::any_of(taints.items(), [](const Json& taint) {
        return taint["key"].text() == kNotReady && taint["effect"].text() == "NoSchedule";
      })) {
    return {};
  }
  request.object->Make({"spec", "taints"})
      .Append(Json{{"effect", Json::String("NoSchedule")}, {"key", Json::String(kNotReady)}});
  return {};
}

void AddTopologyLabels(Json& metadata, std::string_view node, const Store& store, const Catalog& catalog) {
  const ObjectPtr found = store.Find(catalog.Get("", "nodes"), "", node);
  if (found == nullptr) return;
  for (const std::string_view key : {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
    if (const std::string* value = found->labels().Find(key); value != nullptr) {
      metadata.Make("labels").Set(key, *value);
    }
  }
}

Outcome<void> CopyTopologyLabels(const AdmissionRequest& request, const ClusterView& cluster) {
  if (!IsPod(request)) return {};
  const std::string node = (*request.object)["spec"]["nodeName"].text();
  if (!node.empty()) AddTopologyLabels(request.object->Make("metadata"), node, cluster.store, cluster.catalog);
  return {};
}

}  // namespace berth::server
