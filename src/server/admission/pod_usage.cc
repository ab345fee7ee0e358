// SPDX-License-Identifier: Apache-2.0
#include "server/admission/pod_usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "server/kinds/pods/container_resources.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::string_view kAsRequest = "requests.";
constexpr std::string_view kOfDevices = "deviceclass.resource.kubernetes.io/";

bool HasPodLevel(const Json& list) {
  return std::ranges::any_of(list.members(), [](const Json::Member& one) { return IsPodLevelResource(one.name); });
}

// What requests and limits are called in quotas.
Amounts Named(const Amounts& requests, const Amounts& limits) {
  Amounts named{{"pods", api::Quantity::FromInt(1)}};
  for (const auto& [name, amount] : requests) {
    if (IsOneOf(name, {"cpu", "memory", "ephemeral-storage"}) || IsHugePages(name)) {
      named[name] = amount;
      named[std::string(kAsRequest) + name] = amount;
    } else if (IsExtendedResource(name) || name.starts_with(kOfDevices)) {
      named[std::string(kAsRequest) + name] = amount;
    }
  }
  for (const auto& [name, amount] : limits) {
    if (IsOneOf(name, {"cpu", "memory", "ephemeral-storage"})) named["limits." + name] = amount;
  }
  return named;
}

bool IsResizeInfeasible(const Json& pod) {
  for (const Json& condition : pod["status"]["conditions"].items()) {
    if (condition["type"].text() == "PodResizePending") return condition["reason"].text() == "Infeasible";
  }
  return false;
}

// The statuses of containers, by their names.
class Statuses {
 public:
  explicit Statuses(const Json& pod) {
    for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
      for (const Json& status : pod["status"][list].items()) by_name_.try_emplace(status["name"].text(), &status);
    }
  }

  bool empty() const { return by_name_.empty(); }
  // Null if the container has none.
  const Json& Of(const Json& container) const {
    static const Json kNone;
    const auto found = by_name_.find(container["name"].text());
    return found == by_name_.end() ? kNone : *found->second;
  }

 private:
  boost::unordered_flat_map<std::string_view, const Json*> by_name_;
};

// What the containers ask for, have been promised and have, whichever is most. What cannot be had does not count.
Amounts OfContainers(const Json& pod, std::string_view kind) {
  const Json& spec = pod["spec"];
  const bool is_infeasible = IsResizeInfeasible(pod);
  const Statuses statuses(pod);
  const bool has_promises = kind == "requests";
  const auto promised = [&](const Json& status) { return has_promises ? status.Find("allocatedResources") : nullptr; };
  const auto sum = [&](bool looks_at_present) {
    return AggregateAmounts(spec, [&](const Json& container) -> Amounts {
      const Json& status = statuses.Of(container);
      const Json* present = looks_at_present ? status["resources"].Find(kind) : nullptr;
      if (present == nullptr) present = promised(status);
      if (present != nullptr) return ReadAmounts(*present);
      return is_infeasible ? Amounts() : ReadAmounts(container["resources"][kind]);
    });
  };
  Amounts most = is_infeasible ? Amounts() : AggregateAmounts(spec, kind);
  if (statuses.empty()) return most;
  RaiseAmounts(most, sum(true));
  if (has_promises) RaiseAmounts(most, sum(false));
  return most;
}

Amounts OfPod(const Json& pod, std::string_view kind) {
  Amounts amounts = OfContainers(pod, kind);
  const Json& own = pod["spec"]["resources"];
  for (const Json::Member& one : own[kind].members()) {
    if (IsPodLevelResource(one.name)) amounts[one.name] = ToQuantity(one.value);
  }
  for (const auto& [name, amount] : ReadAmounts(pod["spec"]["overhead"])) {
    if (kind == "requests") {
      AddAmounts(amounts, {{name, amount}});
    } else if (const auto limit = amounts.find(name); limit != amounts.end() && !limit->second.IsZero()) {
      limit->second.Add(amount);
    }
  }
  return amounts;
}

bool ReachesOut(const Json& term) { return !term["namespaces"].empty() || term.Has("namespaceSelector"); }

bool ReachesOtherNamespaces(const Json& affinity) {
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const Json& terms = affinity[kind];
    const auto preferred = [](const Json& weighted) { return ReachesOut(weighted["podAffinityTerm"]); };
    if (std::ranges::any_of(terms["requiredDuringSchedulingIgnoredDuringExecution"].items(), ReachesOut) ||
        std::ranges::any_of(terms["preferredDuringSchedulingIgnoredDuringExecution"].items(), preferred)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsPodQuota(std::string_view name) {
  constexpr std::string_view kNames[] = {"pods",
                                         "cpu",
                                         "memory",
                                         "ephemeral-storage",
                                         "requests.cpu",
                                         "requests.memory",
                                         "requests.ephemeral-storage",
                                         "limits.cpu",
                                         "limits.memory",
                                         "limits.ephemeral-storage"};
  if (std::ranges::find(kNames, name) != std::end(kNames)) return true;
  const bool is_request = name.starts_with(kAsRequest);
  const std::string_view bare = is_request ? name.substr(kAsRequest.size()) : name;
  return IsHugePages(bare) || (is_request && (!IsNativeResource(name) || bare.starts_with(kOfDevices)));
}

Amounts AmountsOfPod(const Json& pod) { return Named(OfPod(pod, "requests"), OfPod(pod, "limits")); }

std::set<std::string, std::less<>> ScopesOfPod(const Json& pod) {
  const Json& spec = pod["spec"];
  const bool ends = !spec["activeDeadlineSeconds"].is_null() && spec["activeDeadlineSeconds"].IntOr(-1) >= 0;
  const bool is_best_effort = pod["status"]["qosClass"].text() == "BestEffort";
  std::set<std::string, std::less<>> scopes{"Pods", ends ? "Terminating" : "NotTerminating",
                                            is_best_effort ? "BestEffort" : "NotBestEffort"};
  if (const std::string& name = spec["priorityClassName"].text(); !name.empty()) {
    scopes.insert("PriorityClass");
    scopes.insert("PriorityClass=" + name);
  }
  if (ReachesOtherNamespaces(spec["affinity"])) scopes.insert("CrossNamespacePodAffinity");
  return scopes;
}

std::string MissingInPod(const Json& pod, const std::set<std::string>& names) {
  const Json& spec = pod["spec"];
  if (HasPodLevel(spec["resources"]["requests"]) || HasPodLevel(spec["resources"]["limits"])) return {};
  std::map<std::string, std::set<std::string>> missing;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const Json& container : spec[list].items()) {
      const Json& resources = container["resources"];
      const Amounts asked = Named(ReadAmounts(resources["requests"]), ReadAmounts(resources["limits"]));
      for (const std::string_view name :
           {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"}) {
        const std::string text(name);
        if (names.contains(text) && !asked.contains(text)) missing[text].insert(container["name"].text());
      }
    }
  }
  std::vector<std::string> texts;
  for (const auto& [name, containers] : missing) {
    texts.push_back(fmt::format("{} for: {}", name, fmt::join(containers, ",")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace berth::server
