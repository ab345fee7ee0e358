// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/autoscaling/autoscaler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "server/controllers/autoscaling/replica_proposal.h"
#include "server/controllers/event_report.h"
#include "server/model/find_condition.h"
#include "server/objects/scale.h"
#include "server/rest/selection.h"

namespace berth::server {
namespace {

constexpr Duration kSyncPeriod = Seconds(15);

// The resource of this kind, in whatever version. Null if none is served.
const Resource* FindScaled(const Catalog& catalog, std::string_view group, std::string_view kind) {
  const auto served = catalog.served();
  const auto found =
      std::ranges::find_if(served, [&](const Resource* each) { return each->group == group && each->kind == kind; });
  return found == served.end() ? nullptr : *found;
}

}  // namespace

void Autoscaler::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() != &autoscalers_) return;
  if (change.type == Change::Type::kDeleted) {
    memories_.erase(object.key());
  } else if (change.before == nullptr) {
    memories_.try_emplace(object.key());
    enqueue(object.key(), kSyncPeriod);
  }
}

std::optional<Duration> Autoscaler::Sync(const std::string& key) {
  const auto found = cluster_.store().All(autoscalers_).find(key);
  if (found == cluster_.store().All(autoscalers_).end()) return std::nullopt;
  const ObjectPtr object = found->second;
  const TreePtr tree = object->tree();
  Look look{.object = *object, .spec = (*tree)["spec"], .status = (*tree)["status"], .memory = memories_[key]};
  Reconcile(look);
  const auto written = cluster_.objects.Update(autoscalers_, object->ns(), object->name(),
                                               {.manager = std::string(kControllerManager), .subresource = "status"},
                                               [&](const Json& current) -> Outcome<Json> {
                                                 Json changed = current;
                                                 changed.Set("status", look.status);
                                                 return changed;
                                               });
  if (!Succeeded(*this, written)) Note(look, "Warning", "FailedUpdateStatus", written.error().message);
  return kSyncPeriod;
}

void Autoscaler::Note(const Look& look, std::string_view type, std::string_view reason, std::string message) const {
  ReportEvent(cluster_, look.object, name(), {.type = type, .reason = reason, .message = std::move(message)});
}

void Autoscaler::SetCondition(Look& look, std::string_view type, bool is_true, std::string_view reason,
                              std::string_view message) const {
  Json& conditions = look.status.Make("conditions");
  Json* present = FindMutableCondition(conditions, type);
  if (present == nullptr) present = &conditions.Append(Json{{"type", Json::String(type)}});
  const std::string_view value = is_true ? "True" : "False";
  if ((*present)["status"].text() != value) {
    present->Set("lastTransitionTime", FormatTime(cluster_.objects.now()));
  }
  present->Set("status", value);
  present->Set("reason", reason);
  present->Set("message", message);
}

void Autoscaler::Reconcile(Look& look) {
  const std::optional<Target> target = FindTarget(look);
  if (!target) return;
  const int64_t current = target->current;
  const int64_t least = look.spec["minReplicas"].IntOr(1);
  const int64_t most = look.spec["maxReplicas"].IntOr(0);
  look.memory.history.Begin(current, cluster_.objects.now());
  look.status.Set("observedGeneration", (*look.object.tree())["metadata"]["generation"]);
  look.status.Erase("currentReplicas");
  if (current > 0) look.status.Set("currentReplicas", Json::Int(current));
  look.status.Erase("currentMetrics");
  int64_t desired = current;
  std::string reason;
  if (current == 0) {
    SetCondition(look, "ScalingActive", false, "ScalingDisabled",
                 "scaling is disabled since the replica count of the target is zero");
  } else if (current > most) {
    reason = "Current number of replicas above Spec.MaxReplicas";
    desired = most;
  } else if (current < least) {
    reason = "Current number of replicas below Spec.MinReplicas";
    desired = least;
  } else {
    const std::optional<Wanted> wanted = AskMetrics(look, *target);
    if (!wanted) return;
    if (wanted->replicas > current) reason = wanted->metric + " above target";
    if (wanted->replicas < current) reason = "All metrics below target";
    desired = Normalize(look, current, wanted->replicas);
  }
  if (desired != current && !Rescale(look, *target, desired, reason)) return;
  look.status.Set("desiredReplicas", Json::Int(desired));
  if (desired != current) look.status.Set("lastScaleTime", FormatTime(cluster_.objects.now()));
}

std::optional<Autoscaler::Target> Autoscaler::FindTarget(Look& look) const {
  const Json& reference = look.spec["scaleTargetRef"];
  const auto fail = [&](const std::string& why) {
    Note(look, "Warning", "FailedGetScale", why);
    SetCondition(look, "AbleToScale", false, "FailedGetScale",
                 "the HPA controller was unable to get the target's current scale: " + why);
    return std::nullopt;
  };
  const std::string& version = reference["apiVersion"].text();
  const std::string& kind = reference["kind"].text();
  if (std::ranges::count(version, '/') > 1) return fail("unexpected GroupVersion string: " + version);
  const size_t slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
  const Resource* resource = FindScaled(cluster_.objects.catalog(), group, kind);
  if (resource == nullptr) return fail(fmt::format("no matches for kind \"{}\" in group \"{}\"", kind, group));
  if (resource->FindSubresource("scale") == nullptr) return fail("the server could not find the requested resource");
  const auto found = cluster_.objects.Get(*resource, look.object.ns(), reference["name"].text());
  if (!found) return fail(found.error().message);
  const Json shown = FromStored(*resource, (*found)->Tree());
  if (const auto checked = CheckScale(*resource, shown); !checked) return fail(checked.error().message);
  SetCondition(look, "AbleToScale", true, "SucceededGetScale",
               "the HPA controller was able to get the target's current scale");
  const Json scale = MakeScale(*resource, shown);
  return Target{
      .resource = resource,
      .current = std::clamp<int64_t>(scale["spec"]["replicas"].IntOr(0), 0, std::numeric_limits<int32_t>::max()),
      .selector = scale["status"]["selector"].text()};
}

std::optional<std::vector<const PodInfo*>> Autoscaler::FindPods(Look& look, const Target& target) {
  const auto fail = [&](std::string_view event, std::string_view reason, const std::string& why,
                        const std::string& message) {
    Note(look, "Warning", event, why);
    SetCondition(look, "ScalingActive", false, reason, message);
    Note(look, "Warning", "FailedComputeMetricsReplicas", why);
    return std::nullopt;
  };
  if (target.selector.empty()) {
    return fail("SelectorRequired", "InvalidSelector", "selector is required",
                "the HPA target's scale is missing a selector");
  }
  const Result<api::Selector> selector = ParseLabelSelector(target.selector);
  if (!selector) {
    const std::string why =
        "couldn't convert selector into a corresponding internal selector object: " + selector.error().message;
    return fail("InvalidSelector", "InvalidSelector", why, why);
  }
  look.memory.selector = *selector;
  const std::string prefix = std::string(look.object.ns()) + "/";
  std::vector<const PodInfo*> pods;
  const auto& all = cluster_.pods.all();
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    if (selector->Matches(at->second.object->labels())) pods.push_back(&at->second);
  }
  // Pods of one template have the same labels.
  std::unordered_set<api::Labels, PodIndex::LabelsHash> labels;
  for (const PodInfo* pod : pods) labels.insert(pod->object->labels());
  std::vector<std::string> selecting;
  for (auto at = memories_.lower_bound(prefix); at != memories_.end() && at->first.starts_with(prefix); ++at) {
    const auto& other = at->second.selector;
    if (!other || !std::ranges::any_of(labels, [&](const api::Labels& each) { return other->Matches(each); })) continue;
    selecting.push_back(at->first);
    if (selecting.size() == 2) break;
  }
  if (selecting.size() < 2) return pods;
  const std::string why = fmt::format("pods by selector {} are controlled by more than one HPA (e.g. [{}])",
                                      target.selector, fmt::join(selecting, " "));
  return fail("AmbiguousSelector", "AmbiguousSelector", why, why);
}

std::optional<Autoscaler::Wanted> Autoscaler::AskMetrics(Look& look, const Target& target) {
  const auto pods = FindPods(look, target);
  if (!pods) return std::nullopt;
  Wanted wanted;
  size_t failed = 0;
  MetricFailure first;
  const Json& metrics = look.spec["metrics"];
  Json statuses = Json::MakeList();
  for (const Json& metric : metrics.items()) {
    auto proposal = ProposeReplicas(metric, look.spec["behavior"], *pods, target.current, cluster_.objects.now());
    if (!proposal) {
      Note(look, "Warning", proposal.error().reason, proposal.error().message);
      if (failed++ == 0) first = std::move(proposal.error());
      statuses.Append(Json{{"type", Json::String("")}});
      continue;
    }
    statuses.Append(std::move(proposal->status));
    if (wanted.metric.empty() || proposal->replicas > wanted.replicas) {
      wanted = {.replicas = proposal->replicas, .metric = std::move(proposal->metric)};
    }
  }
  look.status.Set("currentMetrics", std::move(statuses));
  if (failed == metrics.size() || (failed > 0 && wanted.replicas < target.current)) {
    SetCondition(look, "ScalingActive", false, first.reason,
                 "the HPA was unable to compute the replica count: " + first.message);
    Note(
        look, "Warning", "FailedComputeMetricsReplicas",
        fmt::format("invalid metrics ({} invalid out of {}), first error is: {}", failed, metrics.size(), first.error));
    return std::nullopt;
  }
  SetCondition(look, "ScalingActive", true, "ValidMetricFound",
               "the HPA was able to successfully calculate a replica count from " + wanted.metric);
  return wanted;
}

int64_t Autoscaler::Normalize(Look& look, int64_t current, int64_t proposed) const {
  const Time now = cluster_.objects.now();
  ScalingHistory& history = look.memory.history;
  const Ruling stable = history.Stabilize(look.spec["behavior"], current, proposed, now);
  SetCondition(look, "AbleToScale", true, stable.reason, stable.message);
  const Ruling ruling = history.Limit(look.spec, current, stable.replicas, now);
  SetCondition(look, "ScalingLimited", ruling.is_limited, ruling.reason, ruling.message);
  return ruling.replicas;
}

bool Autoscaler::Rescale(Look& look, const Target& target, int64_t replicas, const std::string& reason) const {
  const auto written = cluster_.objects.Update(
      *target.resource, look.object.ns(), look.spec["scaleTargetRef"]["name"].text(),
      {.manager = std::string(kControllerManager), .subresource = "scale"}, [&](const Json& current) -> Outcome<Json> {
        Json changed = current;
        SetReplicas(*target.resource, changed, replicas);
        return changed;
      });
  if (!written) {
    const std::string& why = written.error().message;
    Note(look, "Warning", "FailedRescale", fmt::format("New size: {}; reason: {}; error: {}", replicas, reason, why));
    SetCondition(look, "AbleToScale", false, "FailedUpdateScale",
                 "the HPA controller was unable to update the target scale: " + why);
    return false;
  }
  SetCondition(look, "AbleToScale", true, "SucceededRescale",
               fmt::format("the HPA controller was able to update the target scale to {}", replicas));
  Note(look, "Normal", "SuccessfulRescale", fmt::format("New size: {}; reason: {}", replicas, reason));
  look.memory.history.Record(look.spec["behavior"], target.current, replicas, cluster_.objects.now());
  SetCondition(look, "ScaledToZero", false, "NotScaledToZero", "the HPA controller did not scale the workload to zero");
  return true;
}

}  // namespace berth::server
