// SPDX-License-Identifier: Apache-2.0
// Classes of runtimes: what a pod of a class costs beyond its containers, and where it can run.
#include <fmt/format.h>

#include <algorithm>

#include "server/admission/rules.h"
#include "server/kinds/pods/pod_amounts.h"

namespace berth::server {
namespace {

constexpr std::string_view kDiffers = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

// Each is compared with all others.
constexpr size_t kTolerationsMax = 1000;

bool IsNewPod(const AdmissionRequest& request) {
  return request.verb == Verb::kCreate && request.resource.plural == "pods" && request.resource.group.empty();
}

// Null: the pod names none.
Outcome<TreePtr> RuntimeClassOf(const AdmissionRequest& request, const ClusterView& cluster) {
  const Json* name = (*request.object)["spec"].Find("runtimeClassName");
  if (name == nullptr) return TreePtr();
  if (name->text().empty())
    return std::unexpected(StatusError{.code = 500, .message = "resource name may not be empty"});
  const ObjectPtr found = cluster.store.Find(cluster.catalog.Get("node.k8s.io", "runtimeclasses"), "", name->text());
  if (found != nullptr) return found->tree();
  if (cluster.extent == Extent::kPart) return TreePtr();
  return Forbidden(request.resource, request.name,
                   fmt::format("pod rejected: RuntimeClass \"{}\" not found", name->text()));
}

bool SameAmounts(const Json& left, const Json& right) { return ReadAmounts(left) == ReadAmounts(right); }

// Whether `wide` tolerates all that `narrow` does.
bool Covers(const Json& wide, const Json& narrow) {
  if (wide == narrow) return true;
  const bool exists = wide["operator"].text() == "Exists";
  if (wide["key"].text() != narrow["key"].text() && !(wide["key"].text().empty() && exists)) return false;
  const std::string& effect = wide["effect"].text();
  if (!effect.empty() && effect != narrow["effect"].text()) return false;
  if (effect == "NoExecute" && wide.Has("tolerationSeconds")) {
    const Json& seconds = narrow["tolerationSeconds"];
    if (seconds.is_null() || seconds.IntOr(0) > wide["tolerationSeconds"].IntOr(0)) return false;
  }
  if (exists) return true;
  const std::string& op = wide["operator"].text();
  return (op.empty() || op == "Equal") && narrow["operator"].text() == "Equal" &&
         wide["value"].text() == narrow["value"].text();
}

// Both, but for those that another one covers; of equal ones the first stays.
Json Merge(const Json& first, const Json& second) {
  Json::List all = first.items();
  all.insert(all.end(), second.items().begin(), second.items().end());
  Json merged = Json::MakeList();
  for (auto at = all.begin(); at != all.end(); ++at) {
    const auto covers = [&](const Json& other) { return Covers(other, *at); };
    if (std::ranges::any_of(merged.items(), covers)) continue;
    if (std::any_of(at + 1, all.end(), [&](const Json& other) { return other != *at && covers(other); })) continue;
    merged.Append(*at);
  }
  return merged;
}

Outcome<void> MergeScheduling(const AdmissionRequest& request, const Json& scheduling) {
  Json& spec = request.object->Make("spec");
  for (const Json::Member& wanted : scheduling["nodeSelector"].members()) {
    const Json* own = spec["nodeSelector"].Find(wanted.name);
    if (own != nullptr && own->text() != wanted.value.text()) {
      return Forbidden(request.resource, request.name,
                       fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; "
                                   "pod.spec.nodeSelector[{0}] = {2}",
                                   wanted.name.text(), wanted.value.text(), own->text()));
    }
    spec.Make("nodeSelector").Set(wanted.name, wanted.value);
  }
  if (spec["tolerations"].size() + scheduling["tolerations"].size() > kTolerationsMax) {
    return Forbidden(
        request.resource, request.name,
        fmt::format("pod rejected: with those of its RuntimeClass it has more than {} tolerations", kTolerationsMax));
  }
  Json tolerations = Merge(spec["tolerations"], scheduling["tolerations"]);
  if (!tolerations.empty()) spec.Set("tolerations", std::move(tolerations));
  return {};
}

}  // namespace

Outcome<void> ApplyRuntimeClass(const AdmissionRequest& request, const ClusterView& cluster) {
  if (!IsNewPod(request)) return {};
  const TreePtr found = BERTH_TRY(RuntimeClassOf(request, cluster));
  if (found == nullptr) return {};
  if (const Json* overhead = found->Find("overhead"); overhead != nullptr) {
    const Json& own = (*request.object)["spec"]["overhead"];
    if (!own.empty() && !SameAmounts(own, (*overhead)["podFixed"])) {
      return Forbidden(request.resource, request.name, kDiffers);
    }
    if (!(*overhead)["podFixed"].empty()) request.object->Make("spec").Set("overhead", (*overhead)["podFixed"]);
  }
  if (const Json* scheduling = found->Find("scheduling"); scheduling != nullptr) {
    return MergeScheduling(request, *scheduling);
  }
  return {};
}

Outcome<void> CheckOverhead(const AdmissionRequest& request, const ClusterView& cluster) {
  if (!IsNewPod(request)) return {};
  const Json* own = (*request.object)["spec"].Find("overhead");
  if (own == nullptr) return {};
  const TreePtr found = BERTH_TRY(RuntimeClassOf(request, cluster));
  if (found == nullptr && cluster.extent == Extent::kPart) return {};
  const Json* overhead = found == nullptr ? nullptr : found->Find("overhead");
  if (overhead == nullptr) {
    return Forbidden(request.resource, request.name,
                     "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  }
  if (SameAmounts(*own, (*overhead)["podFixed"])) return {};
  return Forbidden(request.resource, request.name, kDiffers);
}

}  // namespace berth::server
