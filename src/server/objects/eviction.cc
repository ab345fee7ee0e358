// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "server/model/find_condition.h"
#include "server/model/label_selector.h"
#include "server/objects/pod_actions.h"

namespace berth::server {
namespace {

constexpr size_t kPendingMax = 2000;  // Evictions that no controller has seen yet.
constexpr std::string_view kRefused = "Cannot evict pod as it would violate the pod's disruption budget.";

Refusal Refuse(int retry_after_seconds, std::string why) {
  Refusal refusal = TooManyRequests(std::string(kRefused), retry_after_seconds);
  refusal.error().causes.push_back({.reason = "DisruptionBudget", .message = std::move(why), .field = {}});
  return refusal;
}

Refusal ForbidByBudget(std::string_view name, std::string_view why, std::string_view cause) {
  StatusError error{.code = 403,
                    .reason = "Forbidden",
                    .message = fmt::format("poddisruptionbudget.policy \"{}\" is forbidden: {}", name, why),
                    .name = std::string(name),
                    .group = "policy",
                    .kind = "poddisruptionbudget"};
  error.causes.push_back(
      {.reason = "DisruptionBudget",
       .message = fmt::format("The disruption budget {} does not allow evicting pods currently: {}", name, cause),
       .field = {}});
  return std::unexpected(std::move(error));
}

// Budgets do not matter for a pod that does not run.
bool NeedsNoBudget(const Json& pod) {
  const std::string& phase = pod["status"]["phase"].text();
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" || pod["metadata"].Has("deletionTimestamp");
}

bool IsReady(const Json& pod) { return IsTrue(pod["status"]["conditions"], "Ready"); }

std::vector<ObjectPtr> BudgetsOf(const Objects& objects, const StoredObject& pod) {
  std::vector<ObjectPtr> found;
  const Store::Objects& all = objects.store().All(objects.catalog().Get("policy", "poddisruptionbudgets"));
  const std::string prefix = std::string(pod.ns()) + "/";
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    const auto selector = api::Selector::Compile(ReadLabelSelector(at->second->Tree()["spec"]["selector"]));
    if (selector && selector->Matches(pod.labels())) found.push_back(at->second);
  }
  return found;
}

std::string WhyNoneIsAllowed(std::string_view name, const Json& status) {
  const Json& condition = FindCondition(status["conditions"], "DisruptionAllowed");
  const bool is_false = condition["status"].text() == "False" && !condition["message"].text().empty();
  if (is_false && condition["reason"].text() == "SyncFailed") {
    return fmt::format("The disruption budget {} does not allow evicting pods currently because it failed sync: {}",
                       name, condition["message"].text());
  }
  const int64_t healthy = status["currentHealthy"].IntOr(0);
  const int64_t desired = status["desiredHealthy"].IntOr(0);
  if (healthy <= desired) {
    return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name, desired, healthy);
  }
  if (is_false) {
    return fmt::format("The disruption budget {} does not allow evicting pods currently ({}): {}", name,
                       condition["reason"].text(), condition["message"].text());
  }
  return fmt::format("The disruption budget {} does not allow evicting pods currently", name);
}

// Takes one disruption from the budget.
Outcome<void> Spend(Objects& objects, const StoredObject& budget, std::string_view pod, bool dry_run) {
  Json tree = budget.Tree();
  const Json& present = tree["status"];
  if (present["observedGeneration"].IntOr(0) < tree["metadata"]["generation"].IntOr(0)) {
    return Refuse(10, fmt::format("The disruption budget {} is still being processed by the server.", budget.name()));
  }
  const int64_t allowed = present["disruptionsAllowed"].IntOr(0);
  if (allowed < 0) {
    return ForbidByBudget(budget.name(), "pdb disruptions allowed is negative", "pdb disruptions allowed is negative");
  }
  if (present["disruptedPods"].size() > kPendingMax) {
    return ForbidByBudget(budget.name(),
                          "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
                          "too many pending evictions not confirmed by PDB controller");
  }
  if (allowed == 0) return Refuse(0, WhyNoneIsAllowed(budget.name(), present));
  Json& status = tree.Make("status");
  status.Set("disruptionsAllowed", Json::Int(allowed - 1));
  status.Make("disruptedPods").Set(pod, FormatTime(objects.now()));
  if (!dry_run) objects.Overwrite(budget, std::move(tree), false);
  return {};
}

Outcome<void> AskBudgets(Objects& objects, const StoredObject& present, const Json& pod, bool dry_run) {
  const std::vector<ObjectPtr> budgets = BudgetsOf(objects, present);
  if (budgets.empty()) return {};
  if (budgets.size() > 1) {
    return std::unexpected(StatusError{
        .code = 500,
        .message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."});
  }
  const Json budget = budgets.front()->Tree();
  if (!IsReady(pod)) {
    const Json& status = budget["status"];
    const int64_t desired = status["desiredHealthy"].IntOr(0);
    if (budget["spec"]["unhealthyPodEvictionPolicy"].text() == "AlwaysAllow") return {};
    if (status["currentHealthy"].IntOr(0) >= desired && desired > 0) return {};
  }
  return Spend(objects, *budgets.front(), present.name(), dry_run);
}

}  // namespace

Outcome<void> EvictPod(Objects& objects, std::string_view ns, std::string_view name, Json eviction, bool dry_run,
                       WebhookDialog* dialog, const WhoAsks& user) {
  const Resource& pods = objects.catalog().Get("", "pods");
  BERTH_CHECK_OK(objects.AskWebhooks({.verb = Verb::kCreate,
                                      .resource = pods,
                                      .subresource = "eviction",
                                      .ns = ns,
                                      .name = name,
                                      .object = &eviction,
                                      .user = user},
                                     {.dry_run = dry_run, .dialog = dialog}));
  if (eviction["metadata"]["name"].text() != name) {
    return BadRequest("name in URL does not match name in Eviction object");
  }
  const ObjectPtr present = BERTH_TRY(objects.Get(pods, ns, name));
  Json pod = present->Tree();
  DeleteOptions options = ReadDeleteOptions(eviction["deleteOptions"]);
  options.dry_run = options.dry_run || dry_run;
  options.is_admitted = true;  // The eviction is what was asked about; to upstream it is no request to delete.
  if (!NeedsNoBudget(pod)) BERTH_CHECK_OK(AskBudgets(objects, *present, pod, options.dry_run));
  // What is meant for another pod must not mark this one; the deletion refuses it.
  const bool is_meant =
      (options.uid.empty() || options.uid == present->uid()) &&
      (options.resource_version.empty() || options.resource_version == std::to_string(present->revision()));
  if (is_meant && !options.dry_run) {
    SetPodCondition(pod,
                    Json{{"type", Json::String("DisruptionTarget")},
                         {"status", Json::String("True")},
                         {"reason", Json::String("EvictionByEvictionAPI")},
                         {"message", Json::String("Eviction API: evicting")}},
                    objects.now());
    const ObjectPtr marked = objects.Overwrite(*present, std::move(pod), false);
    if (!options.resource_version.empty()) options.resource_version = std::to_string(marked->revision());
  }
  BERTH_CHECK_OK(objects.Delete(pods, ns, name, options));
  return {};
}

}  // namespace berth::server
