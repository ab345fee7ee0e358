// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/autoscaling/pod_usage.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/parts/quantity.h"
#include "server/kinds/pods/life_annotations.h"

namespace berth::server {
namespace {

constexpr int64_t kMilliMax = int64_t{1} << 53;

// Sets what each container uses: its part of what the annotation says, or of what it requests itself.
template <class Set>
void Share(const Json& pod, std::string_view annotation, std::string_view resource, const std::vector<Json>& containers,
           Set set) {
  const Json& said = pod["metadata"]["annotations"][annotation];
  const auto count = static_cast<int64_t>(containers.size());
  const int64_t total = MilliOf(said);
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(i);
    // What cannot be divided belongs to the first ones.
    const int64_t part = total / count + (i < total % count ? 1 : 0);
    set(at, said.is_string() ? part : MilliOf(containers[at]["resources"]["requests"][resource]) / 2);
  }
}

}  // namespace

int64_t MilliOf(const Json& quantity) {
  const Result<api::Quantity> amount = api::Quantity::Parse(quantity.text());
  if (!amount) return 0;
  // Beyond its range the number would wrap.
  if (amount->AsApproximateFloat() >= static_cast<double>(kMilliMax) / 1000) return kMilliMax;
  return std::clamp<int64_t>(amount->MilliValue(), 0, kMilliMax);
}

void AddAmount(int64_t& sum, int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = std::numeric_limits<int64_t>::max();
}

std::vector<Json> RunningContainers(const Json& pod) {
  std::vector<Json> containers = pod["spec"]["containers"].items();
  for (const Json& container : pod["spec"]["initContainers"].items()) {
    if (container["restartPolicy"].text() == "Always") containers.push_back(container);
  }
  return containers;
}

std::vector<ContainerUsage> UsageOf(const PodInfo& pod) {
  if (pod.phase != PodInfo::Phase::kRunning) return {};
  const TreePtr tree = pod.object->tree();
  const std::vector<Json> containers = RunningContainers(*tree);
  std::vector<ContainerUsage> usage;
  for (const Json& container : containers) usage.push_back({.name = container["name"].text()});
  Share(*tree, kCpuUsage, "cpu", containers, [&](size_t i, int64_t milli) { usage[i].cpu_milli = milli; });
  Share(*tree, kMemoryUsage, "memory", containers,
        [&](size_t i, int64_t milli) { usage[i].memory_bytes = (milli + 999) / 1000; });
  return usage;
}

}  // namespace berth::server
