// SPDX-License-Identifier: Apache-2.0
#include "scheduler/resource_report.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "cluster/pod_resources.h"

namespace berth::scheduler {
namespace {

std::string_view UnitOf(std::string_view resource) {
  if (resource == "cpu") return "cores";
  if (resource == "memory" || resource == "storage" || resource == "ephemeral-storage") return "bytes";
  if (resource.starts_with("hugepages-")) return "bytes";
  if (resource.starts_with("attachable-volumes-")) return "integer";
  return {};
}

// The API server writes what is not a whole number in thousandths.
double Approximate(const api::Quantity& quantity) {
  if (api::Quantity::FromInt(quantity.Value()) == quantity) return static_cast<double>(quantity.Value());
  return static_cast<double>(quantity.MilliValue()) * 1e-3;
}

std::vector<ResourceAmount> Amounts(const api::ResourceList& list) {
  std::vector<ResourceAmount> amounts;
  for (const auto& [resource, quantity] : list) {
    if (!quantity.IsZero()) amounts.push_back({resource, UnitOf(resource), Approximate(quantity)});
  }
  return amounts;
}

}  // namespace

std::vector<PodResources> ReportResources(const Core& core) {
  const api::PodStatus no_status;  // The spec alone counts.
  std::vector<PodResources> report;
  report.reserve(core.pods().size());
  core.pods().ForEach([&](const cluster::PodPtr& pod) {
    const api::PodSpec& spec = pod->spec();
    report.push_back({.ns = pod->ns(),
                      .name = pod->name,
                      .node = pod->node_name,
                      .scheduler = spec.scheduler_name,
                      .priority = spec.priority,
                      .requests = Amounts(cluster::PodRequests(spec, no_status, {})),
                      .limits = Amounts(cluster::PodLimits(spec))});
  });
  std::ranges::sort(report, {}, [](const PodResources& pod) { return std::tie(pod.ns, pod.name); });
  return report;
}

}  // namespace berth::scheduler
