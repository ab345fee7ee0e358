// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/workloads/autoscaler_view.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/document/json_writer.h"
#include "api/typed/typed.h"
#include "server/kinds/workloads/autoscaler_metric.h"

namespace berth::server {
namespace {

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kViewAnnotations[] = {kMetrics,
                                                 kBehavior,
                                                 "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
                                                 "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
                                                 kCurrentMetrics,
                                                 kConditions};

void DropAnnotations(Json& object) {
  Json* const metadata = object.Find("metadata");
  Json* const annotations = metadata == nullptr ? nullptr : metadata->Find("annotations");
  if (annotations == nullptr) return;
  for (const std::string_view name : kViewAnnotations) annotations->Erase(name);
  if (annotations->empty()) metadata->Erase("annotations");
}

// Moves a member to another name; whether it was there.
bool Move(Json& from, std::string_view name, Json& to, std::string_view new_name) {
  Json* const member = from.Find(name);
  if (member == nullptr) return false;
  Json value = std::move(*member);
  from.Erase(name);
  to.Set(new_name, std::move(value));
  return true;
}

bool IsProcessorUse(const Json& metric) {
  return metric["type"].text() == "Resource" && metric["resource"]["name"].text() == "cpu";
}

// The annotation's content as it stands in v2 under `member` of the spec or status; null if it makes no sense there.
Json FromAnnotation(const Json& content, std::string_view part, std::string_view member) {
  static const api::wire::Message& message =
      *api::wire::FindMessage("io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler");
  Json object;
  object.Make(part).Set(member, content);
  if (!Canonicalize(object, message)) return {};
  return object[part][member];
}

Json ParseAnnotation(const Json& object, std::string_view name) {
  const Json& text = object["metadata"]["annotations"][name];
  return text.is_string() ? ParseTree(text.text()).value_or(Json()) : Json();
}

Json FromMetricsAnnotation(const Json& annotation, MetricPart part) {
  Json::List metrics;
  for (const Json& metric : annotation.items()) metrics.push_back(ToNewMetric(metric, part));
  return part == MetricPart::kTarget ? FromAnnotation(Json::MakeList(std::move(metrics)), "spec", "metrics")
                                     : FromAnnotation(Json::MakeList(std::move(metrics)), "status", "currentMetrics");
}

// Fields of the behavior. Its annotation has the names that they have inside of upstream, in this order.
struct RuleField {
  std::string_view name;
  std::string_view annotated;
};
constexpr RuleField kBehaviorFields[] = {{"scaleUp", "ScaleUp"}, {"scaleDown", "ScaleDown"}};
constexpr RuleField kRuleFields[] = {{"stabilizationWindowSeconds", "StabilizationWindowSeconds"},
                                     {"selectPolicy", "SelectPolicy"},
                                     {"policies", "Policies"},
                                     {"tolerance", "Tolerance"}};
constexpr RuleField kPolicyFields[] = {{"type", "Type"}, {"value", "Value"}, {"periodSeconds", "PeriodSeconds"}};

template <class WriteMember>
std::string WriteFields(std::span<const RuleField> fields, WriteMember write) {
  std::string text;
  for (const RuleField& field : fields) {
    text += text.empty() ? '{' : ',';
    api::AppendQuoted(text, field.annotated);
    text.append(":").append(write(field.name));
  }
  return text + '}';
}

std::string PoliciesText(const Json& policies) {
  if (!policies.is_list()) return "null";
  std::string text = "[";
  for (const Json& policy : policies.items()) {
    if (text.size() > 1) text += ',';
    text += WriteFields(kPolicyFields, [&](std::string_view name) { return policy[name].ToText(); });
  }
  return text + ']';
}

std::string RulesText(const Json& rules) {
  if (!rules.is_map()) return "null";
  return WriteFields(kRuleFields, [&](std::string_view name) {
    return name == "policies" ? PoliciesText(rules[name]) : rules[name].ToText();
  });
}

std::string BehaviorText(const Json& behavior) {
  return WriteFields(kBehaviorFields, [&](std::string_view name) { return RulesText(behavior[name]); });
}

Json ReadFields(std::span<const RuleField> fields, const Json& annotated) {
  Json object = Json::MakeMap();
  for (const RuleField& field : fields) {
    if (const Json& value = annotated[field.annotated]; !value.is_null()) object.Set(field.name, value);
  }
  return object;
}

Json ReadBehavior(const Json& annotated) {
  Json behavior = ReadFields(kBehaviorFields, annotated);
  for (const RuleField& field : kBehaviorFields) {
    if (!behavior.Has(field.name)) continue;
    Json rules = ReadFields(kRuleFields, behavior[field.name]);
    if (rules.Has("policies")) {
      Json policies = Json::MakeList();
      for (const Json& policy : rules["policies"].items()) policies.Append(ReadFields(kPolicyFields, policy));
      rules.Set("policies", std::move(policies));
    }
    behavior.Set(field.name, std::move(rules));
  }
  return behavior.empty() ? Json() : FromAnnotation(behavior, "spec", "behavior");
}

Json ProcessorUse(Json percent) {
  Json target{{"type", Json::String("Utilization")}, {"averageUtilization", std::move(percent)}};
  return Json{{"type", Json::String("Resource")},
              {"resource", Json{{"name", Json::String("cpu")}, {"target", std::move(target)}}}};
}

void SpecToNew(Json& spec, const Json& old) {
  Json metrics = FromMetricsAnnotation(ParseAnnotation(old, kMetrics), MetricPart::kTarget);
  Json percent;
  if (Json* const given = spec.Find("targetCPUUtilizationPercentage")) percent = std::move(*given);
  spec.Erase("targetCPUUtilizationPercentage");
  if (percent.is_null() && metrics.empty()) percent = Json::Int(kDefaultProcessorUse);
  if (!percent.is_null()) {
    if (!metrics.is_list()) metrics = Json::MakeList();
    metrics.Append(ProcessorUse(std::move(percent)));
  }
  spec.Set("metrics", std::move(metrics));
  if (Json behavior = ReadBehavior(ParseAnnotation(old, kBehavior)); !behavior.is_null()) {
    spec.Set("behavior", std::move(behavior));
  }
}

void StatusToNew(Json& object, const Json& old) {
  Json metrics = FromMetricsAnnotation(ParseAnnotation(old, kCurrentMetrics), MetricPart::kCurrent);
  Json conditions = FromAnnotation(ParseAnnotation(old, kConditions), "status", "conditions");
  Json* const status = object.Find("status");
  if (status != nullptr && metrics.empty()) {
    Json current;
    if (Move(*status, "currentCPUUtilizationPercentage", current, "averageUtilization")) {
      metrics = Json::MakeList({Json{{"type", Json::String("Resource")},
                                     {"resource", Json{{"name", Json::String("cpu")}, {"current", current}}}}});
    }
  }
  if (status != nullptr) status->Erase("currentCPUUtilizationPercentage");
  if (status == nullptr && metrics.empty() && conditions.empty()) return;
  Json& made = object.Make("status");
  // v2 leaves out no replicas, and says that there are no metrics.
  if (made["currentReplicas"].IntOr(0) == 0) made.Erase("currentReplicas");
  made.Set("currentMetrics", metrics.empty() ? Json() : std::move(metrics));
  if (!conditions.empty()) made.Set("conditions", std::move(conditions));
}

void Annotate(Json& object, std::string_view name, std::string text) {
  object.Make({"metadata", "annotations"}).Set(name, Json::String(std::move(text)));
}

void SpecToOld(Json& object) {
  Json* const spec = object.Find("spec");
  if (spec == nullptr) return;
  std::string others;
  for (const Json& metric : (*spec)["metrics"].items()) {
    const Json& percent = metric["resource"]["target"]["averageUtilization"];
    if (IsProcessorUse(metric) && !percent.is_null()) {
      if (!spec->Has("targetCPUUtilizationPercentage")) spec->Set("targetCPUUtilizationPercentage", percent);
      continue;
    }
    others.append(others.empty() ? "[" : ",").append(OldMetricText(metric, MetricPart::kTarget));
  }
  const Json behavior = (*spec)["behavior"];
  spec->Erase("metrics");
  spec->Erase("behavior");
  if (!others.empty()) Annotate(object, kMetrics, others + ']');
  if (behavior.is_map()) Annotate(object, kBehavior, BehaviorText(behavior));
}

std::string ConditionsText(const Json& conditions) {
  static const api::wire::Message& message =
      *api::wire::FindMessage("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition");
  std::string text = "[";
  for (const Json& condition : conditions.items()) {
    if (text.size() > 1) text += ',';
    text += EncodeJson(condition, message);
  }
  return text + ']';
}

void StatusToOld(Json& object) {
  Json* const status = object.Find("status");
  if (status == nullptr) return;
  std::string metrics;
  for (const Json& metric : (*status)["currentMetrics"].items()) {
    const Json& percent = metric["resource"]["current"]["averageUtilization"];
    if (IsProcessorUse(metric) && !percent.is_null()) status->Set("currentCPUUtilizationPercentage", percent);
    metrics.append(metrics.empty() ? "[" : ",").append(OldMetricText(metric, MetricPart::kCurrent));
  }
  const Json conditions = (*status)["conditions"];
  status->Erase("currentMetrics");
  status->Erase("conditions");
  status->SetDefault("currentReplicas", Json::Int(0));
  if (!metrics.empty()) Annotate(object, kCurrentMetrics, metrics + ']');
  if (!conditions.empty()) Annotate(object, kConditions, ConditionsText(conditions));
}

}  // namespace

Json ToNewAutoscaler(Json autoscaler) {
  Json object = autoscaler;
  if (object.Has("apiVersion")) object.Set("apiVersion", "autoscaling/v2");
  DropAnnotations(object);
  SpecToNew(object.Make("spec"), autoscaler);
  StatusToNew(object, autoscaler);
  return object;
}

Json ToOldAutoscaler(Json autoscaler) {
  if (autoscaler.Has("apiVersion")) autoscaler.Set("apiVersion", "autoscaling/v1");
  DropAnnotations(autoscaler);
  SpecToOld(autoscaler);
  StatusToOld(autoscaler);
  return autoscaler;
}

}  // namespace berth::server
