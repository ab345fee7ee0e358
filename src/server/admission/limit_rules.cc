// SPDX-License-Identifier: Apache-2.0
// Ranges of limits: what they give to containers that say nothing, and which pods and claims they refuse.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "server/admission/rules.h"
#include "server/kinds/pods/container_resources.h"
#include "server/kinds/pods/pod_amounts.h"
#include "server/model/checks.h"
#include "server/model/joined_errors.h"

namespace berth::server {
namespace {

using api::Quantity;
using Problems = std::vector<std::string>;

// Says what a range gave.
constexpr std::string_view kAnnotation = "kubernetes.io/limit-ranger";

bool IsLimited(const AdmissionRequest& request) {
  if (request.object == nullptr || !request.resource.group.empty()) return false;
  if (request.old != nullptr && (*request.old)["metadata"].Has("deletionTimestamp")) return false;
  if (request.resource.plural == "pods") {
    // Otherwise what a pod asks for does not change.
    return request.subresource == "resize" || (request.verb == Verb::kCreate && request.subresource.empty());
  }
  return request.resource.plural == "persistentvolumeclaims" && request.subresource.empty();
}

std::vector<ObjectPtr> RangesFor(const AdmissionRequest& request, const ClusterView& cluster) {
  if (!IsLimited(request)) return {};
  return ObjectsIn(cluster, cluster.catalog.Get("", "limitranges"), request.ns);
}

// Gives a container those of `amounts` that it does not name, and tells which.
void FillList(const Json& amounts, std::string_view list, std::string_view what, Json& container,
              std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const Json::Member& amount : amounts.members()) {
    if (container["resources"][list].Has(amount.name)) continue;
    container.Make({"resources", list}).Set(amount.name, amount.value);
    names.push_back(amount.name);
  }
  if (names.empty()) return;
  given.push_back(fmt::format("{} {} for {} {}", fmt::join(names, ", "), list == "requests" ? "request" : "limit", what,
                              container["name"].text()));
}

// Of all items for containers together; of two the later counts.
Json DefaultsOf(const Json& range, std::string_view list) {
  Json defaults = Json::MakeMap();
  for (const Json& item : range["spec"]["limits"].items()) {
    if (item["type"].text() != "Container") continue;
    for (const Json::Member& amount : item[list].members()) defaults.Set(amount.name, amount.value);
  }
  return defaults;
}

void FillPod(const Json& range, Json& pod) {
  const Json limits = DefaultsOf(range, "default");
  const Json requests = DefaultsOf(range, "defaultRequest");
  if (limits.empty() && requests.empty()) return;
  std::vector<std::string> given;
  for (const auto& [list, what] :
       {std::pair("containers", "container"), std::pair("initContainers", "init container")}) {
    Json* containers = pod.Make("spec").Find(list);
    if (containers == nullptr || containers->empty()) continue;
    for (Json& container : containers->mutable_items()) {
      FillList(requests, "requests", what, container, given);
      FillList(limits, "limits", what, container, given);
    }
  }
  if (given.empty()) return;
  pod.Make({"metadata", "annotations"})
      .Set(kAnnotation, fmt::format("LimitRanger plugin set: {}", fmt::join(given, "; ")));
}

// Whole numbers, or thousandths where all of them fit.
struct Scaled {
  int64_t request;
  int64_t limit;
  int64_t bound;
};

bool FitsMilli(const Quantity& amount) { return amount.Value() <= std::numeric_limits<int64_t>::max() / 1000; }

Scaled Scale(const Quantity& request, const Quantity& limit, const Quantity& bound) {
  if (FitsMilli(request) && FitsMilli(limit) && FitsMilli(bound)) {
    return {request.MilliValue(), limit.MilliValue(), bound.MilliValue()};
  }
  return {request.Value(), limit.Value(), bound.Value()};
}

// One item of a range, applied to what something asks for.
class LimitCheck {
 public:
  LimitCheck(const Json& item, const Amounts& requests, const Amounts& limits, Problems& problems)
      : item_(item), type_(item["type"].text()), requests_(requests), limits_(limits), problems_(problems) {}

  void Run() {
    for (const Json::Member& bound : item_["min"].members()) CheckMin(bound.name, ToQuantity(bound.value));
    for (const Json::Member& bound : item_["max"].members()) {
      type_ == "PersistentVolumeClaim" ? CheckMaxRequest(bound.name, ToQuantity(bound.value))
                                       : CheckMax(bound.name, ToQuantity(bound.value));
    }
    if (type_ == "PersistentVolumeClaim") return;
    for (const Json::Member& bound : item_["maxLimitRequestRatio"].members()) {
      CheckRatio(bound.name, ToQuantity(bound.value));
    }
  }

 private:
  static const Quantity* Find(const Amounts& amounts, const std::string& name) {
    const auto found = amounts.find(name);
    return found == amounts.end() ? nullptr : &found->second;
  }

  void Report(std::string_view which, const std::string& resource, const Quantity& bound, std::string_view why) {
    problems_.push_back(fmt::format("{} {} usage per {} is {}{}", which, resource, type_, bound.String(), why));
  }

  static std::string But(std::string_view what, const Quantity& amount) {
    return fmt::format(", but {} is {}", what, amount.String());
  }

  void CheckMin(const std::string& resource, const Quantity& bound) {
    const Quantity* request = Find(requests_, resource);
    const Quantity* limit = Find(limits_, resource);
    if (request == nullptr) return Report("minimum", resource, bound, ".  No request is specified");
    const Scaled scaled = Scale(*request, limit == nullptr ? Quantity() : *limit, bound);
    if (scaled.request < scaled.bound) return Report("minimum", resource, bound, But("request", *request));
    if (limit != nullptr && scaled.limit < scaled.bound) Report("minimum", resource, bound, But("limit", *limit));
  }

  void CheckMaxRequest(const std::string& resource, const Quantity& bound) {
    const Quantity* request = Find(requests_, resource);
    if (request == nullptr) return Report("maximum", resource, bound, ".  No request is specified");
    const Scaled scaled = Scale(*request, Quantity(), bound);
    if (scaled.request > scaled.bound) Report("maximum", resource, bound, But("request", *request));
  }

  void CheckMax(const std::string& resource, const Quantity& bound) {
    const Quantity* request = Find(requests_, resource);
    const Quantity* limit = Find(limits_, resource);
    if (limit == nullptr) return Report("maximum", resource, bound, ".  No limit is specified");
    const Scaled scaled = Scale(request == nullptr ? Quantity() : *request, *limit, bound);
    if (scaled.limit > scaled.bound) return Report("maximum", resource, bound, But("limit", *limit));
    if (request != nullptr && scaled.request > scaled.bound) {
      Report("maximum", resource, bound, But("request", *request));
    }
  }

  void CheckRatio(const std::string& resource, const Quantity& bound) {
    const Quantity* request = Find(requests_, resource);
    const Quantity* limit = Find(limits_, resource);
    const Scaled scaled =
        Scale(request == nullptr ? Quantity() : *request, limit == nullptr ? Quantity() : *limit, bound);
    const auto report = [&](std::string_view why) {
      problems_.push_back(
          fmt::format("{} max limit to request ratio per {} is {}, but {}", resource, type_, bound.String(), why));
    };
    if (request == nullptr || scaled.request == 0) return report("no request is specified or request is 0");
    if (limit == nullptr || scaled.limit == 0) return report("no limit is specified or limit is 0");
    const double ratio = static_cast<double>(scaled.limit) / static_cast<double>(scaled.request);
    const bool exceeds = FitsMilli(bound) ? ratio * 1000 > static_cast<double>(bound.MilliValue())
                                          : ratio > static_cast<double>(bound.Value());
    if (exceeds) report(fmt::format("provided ratio is {:f}", ratio));
  }

  const Json& item_;
  const std::string& type_;
  const Amounts& requests_;
  const Amounts& limits_;
  Problems& problems_;
};

// What a pod asks for, of one kind: its containers together, unless it says so itself.
Amounts AskedByPod(const Json& spec, std::string_view kind) {
  Amounts asked = AggregateAmounts(spec, kind);
  for (const Json::Member& own : spec["resources"][kind].members()) {
    if (own.name == "cpu" || own.name == "memory") asked[own.name] = ToQuantity(own.value);
  }
  return asked;
}

void CheckPod(const Json& item, const Json& spec, Problems& problems) {
  const std::string& type = item["type"].text();
  if (type == "Pod") {
    LimitCheck(item, AskedByPod(spec, "requests"), AskedByPod(spec, "limits"), problems).Run();
  }
  if (type != "Container") return;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const Json& container : spec[list].items()) {
      const Json& resources = container["resources"];
      LimitCheck(item, ReadAmounts(resources["requests"]), ReadAmounts(resources["limits"]), problems).Run();
    }
  }
}

}  // namespace

Outcome<void> FillFromLimitRanges(const AdmissionRequest& request, const ClusterView& cluster) {
  if (request.resource.plural != "pods") return {};
  for (const ObjectPtr& range : RangesFor(request, cluster)) FillPod(*range->tree(), *request.object);
  return {};
}

Outcome<void> CheckLimitRanges(const AdmissionRequest& request, const ClusterView& cluster) {
  for (const ObjectPtr& range : RangesFor(request, cluster)) {
    const TreePtr tree = range->tree();
    const Json& spec = (*request.object)["spec"];
    Problems problems;
    for (const Json& item : (*tree)["spec"]["limits"].items()) {
      if (request.resource.plural == "pods") {
        CheckPod(item, spec, problems);
      } else if (item["type"].text() == "PersistentVolumeClaim") {
        LimitCheck(item, ReadAmounts(spec["resources"]["requests"]), {}, problems).Run();
      }
    }
    if (!problems.empty()) return Forbidden(request.resource, request.name, JoinErrors(problems));
  }
  return {};
}

}  // namespace berth::server
