// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

constexpr size_t kMetricsMax = 2;
constexpr std::string_view kUnknown = "<unknown>";

std::string Percent(const Json& value, std::string_view other) {
  return value.is_number() ? value.text() + '%' : std::string(other);
}

// Where a metric of this type keeps its target and its current value.
std::string_view SourceName(std::string_view type) {
  if (type == "External") return "external";
  if (type == "Pods") return "pods";
  if (type == "Object") return "object";
  if (type == "Resource") return "resource";
  if (type == "ContainerResource") return "containerResource";
  return {};
}

// Of pods, objects and things outside of the cluster.
std::string CustomMetric(const Json& target, const Json& current, bool is_average) {
  const std::string_view member = is_average || target.Has("averageValue") ? "averageValue" : "value";
  const char* suffix = !is_average && target.Has("averageValue") ? " (avg)" : "";
  return fmt::format("{}/{}{}", TextOr(current[member], kUnknown), TextOr(target[member], "0"), suffix);
}

std::string ResourceMetric(const Json& spec, const Json& current) {
  const Json& target = spec["target"];
  if (target.Has("averageValue")) {
    return fmt::format("{}: {}/{}", spec["name"].text(), TextOr(current["averageValue"], kUnknown),
                       target["averageValue"].text());
  }
  return fmt::format("{}: {}/{}", spec["name"].text(), Percent(current["averageUtilization"], kUnknown),
                     Percent(target["averageUtilization"], "<auto>"));
}

std::string Metric(const Json& spec, const Json& status) {
  const std::string& type = spec["type"].text();
  const std::string_view source = SourceName(type);
  if (source.empty()) return "<unknown type>";
  const Json& current = status[source]["current"];
  if (type == "Resource" || type == "ContainerResource") return ResourceMetric(spec[source], current);
  return CustomMetric(spec[source]["target"], current, type == "Pods");
}

std::string Metrics(const Json& specs, const Json& statuses) {
  if (specs.empty()) return "<none>";
  std::vector<std::string> parts;
  for (size_t i = 0; i < specs.size(); ++i) parts.push_back(Metric(specs[i], statuses[i]));
  if (parts.size() <= kMetricsMax) return Join(parts, ", ");
  const size_t hidden = parts.size() - kMetricsMax;
  parts.resize(kMetricsMax);
  return fmt::format("{} + {} more...", Join(parts, ", "), hidden);
}

Json::List AutoscalerCells(const Json& object, Time now) {
  const Json& spec = object["spec"];
  const Json& target = spec["scaleTargetRef"];
  return Row(Name(object), target["kind"].text() + '/' + target["name"].text(),
             Metrics(spec["metrics"], object["status"]["currentMetrics"]), TextOr(spec["minReplicas"], "<unset>"),
             spec["maxReplicas"].IntOr(0), object["status"]["currentReplicas"].IntOr(0), Age(object, now));
}

}  // namespace

std::span<const Printer> AutoscalerPrinters() {
  static const std::vector<Printer> kPrinters = {
      {"autoscaling",
       "horizontalpodautoscalers",
       {kNameColumn, {"Reference"}, {"Targets"}, {"MinPods"}, {"MaxPods"}, {"Replicas"}, kAgeColumn},
       AutoscalerCells},
  };
  return kPrinters;
}

}  // namespace berth::server
