// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/workloads/autoscaler_metric.h"

#include <span>
#include <string_view>

#include "api/document/json_writer.h"

namespace berth::server {
namespace {

struct MetricField {
  std::string_view name;         // In v1.
  std::string_view parent;       // In v2, what the member stands in; empty: the metric itself.
  std::string_view member;       // In v2.
  bool is_always_there = false;  // A quantity that v1 writes even if v2 has none.
};

constexpr MetricField kObjectSpec[] = {{"target", "", "describedObject"},
                                       {"metricName", "metric", "name"},
                                       {"targetValue", "target", "value", true},
                                       {"selector", "metric", "selector"},
                                       {"averageValue", "target", "averageValue"}};
constexpr MetricField kPodsSpec[] = {{"metricName", "metric", "name"},
                                     {"targetAverageValue", "target", "averageValue", true},
                                     {"selector", "metric", "selector"}};
// The last is that of a container alone.
constexpr MetricField kResourceSpec[] = {{"name", "", "name"},
                                         {"targetAverageUtilization", "target", "averageUtilization"},
                                         {"targetAverageValue", "target", "averageValue"},
                                         {"container", "", "container"}};
constexpr MetricField kExternalSpec[] = {{"metricName", "metric", "name"},
                                         {"metricSelector", "metric", "selector"},
                                         {"targetValue", "target", "value"},
                                         {"targetAverageValue", "target", "averageValue"}};
constexpr MetricField kObjectStatus[] = {{"target", "", "describedObject"},
                                         {"metricName", "metric", "name"},
                                         {"currentValue", "current", "value", true},
                                         {"selector", "metric", "selector"},
                                         {"averageValue", "current", "averageValue"}};
constexpr MetricField kPodsStatus[] = {{"metricName", "metric", "name"},
                                       {"currentAverageValue", "current", "averageValue", true},
                                       {"selector", "metric", "selector"}};
constexpr MetricField kResourceStatus[] = {{"name", "", "name"},
                                           {"currentAverageUtilization", "current", "averageUtilization"},
                                           {"currentAverageValue", "current", "averageValue", true},
                                           {"container", "", "container"}};
constexpr MetricField kExternalStatus[] = {{"metricName", "metric", "name"},
                                           {"metricSelector", "metric", "selector"},
                                           {"currentValue", "current", "value", true},
                                           {"currentAverageValue", "current", "averageValue"}};

// Where a metric comes from. Both forms call it the same.
struct MetricSource {
  std::string_view name;
  std::span<const MetricField> spec;
  std::span<const MetricField> status;

  std::span<const MetricField> Fields(MetricPart part) const { return part == MetricPart::kTarget ? spec : status; }
};

constexpr MetricSource kMetricSources[] = {
    {"object", kObjectSpec, kObjectStatus},
    {"pods", kPodsSpec, kPodsStatus},
    {"resource", std::span(kResourceSpec).first(3), std::span(kResourceStatus).first(3)},
    {"containerResource", kResourceSpec, kResourceStatus},
    {"external", kExternalSpec, kExternalStatus},
};

// v1 does not say which of its values counts.
void SetTargetType(Json& source, std::string_view name) {
  Json& target = source.Make("target");
  std::string_view type = "AverageValue";
  if (target.Has("averageUtilization")) type = "Utilization";
  if (name == "object") {
    if (!target.Has("averageValue")) {
      type = "Value";
    } else if (target["value"].text() == "0") {
      target.Erase("value");
    }
  }
  if (name == "external" && target.Has("value")) type = "Value";
  target.Set("type", type);
}

Json ToNewSource(const Json& old, const MetricSource& source, MetricPart part) {
  Json object = Json::MakeMap();
  for (const MetricField& field : source.Fields(part)) {
    const Json& value = old[field.name];
    if (value.is_null()) continue;
    (field.parent.empty() ? object : object.Make(field.parent)).Set(field.member, value);
  }
  if (part == MetricPart::kTarget) SetTargetType(object, source.name);
  return object;
}

std::string OldSourceText(const Json& object, std::span<const MetricField> fields) {
  std::string text;
  for (const MetricField& field : fields) {
    const Json& value = (field.parent.empty() ? object : object[field.parent])[field.member];
    if (value.is_null() && !field.is_always_there) continue;
    text += text.empty() ? '{' : ',';
    api::AppendQuoted(text, field.name);
    text.append(":").append(value.is_null() ? "\"0\"" : value.ToText());
  }
  return text.empty() ? "{}" : text + '}';
}

}  // namespace

Json ToNewMetric(const Json& metric, MetricPart part) {
  Json object{{"type", metric["type"]}};
  for (const MetricSource& source : kMetricSources) {
    if (metric.Has(source.name)) object.Set(source.name, ToNewSource(metric[source.name], source, part));
  }
  return object;
}

std::string OldMetricText(const Json& metric, MetricPart part) {
  std::string text = "{\"type\":" + metric["type"].ToText();
  for (const MetricSource& source : kMetricSources) {
    if (!metric.Has(source.name)) continue;
    text += ',';
    api::AppendQuoted(text, source.name);
    text.append(":").append(OldSourceText(metric[source.name], source.Fields(part)));
  }
  return text + '}';
}

}  // namespace berth::server
