// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/pod_usage.h"

#include <string>
#include <utility>
#include <vector>

#include "scheduler/resource_report.h"

namespace berth::scheduler_app {
namespace {

std::vector<PodUsage::Amount> AmountsOf(std::vector<scheduler::ResourceAmount> amounts) {
  std::vector<PodUsage::Amount> result;
  for (scheduler::ResourceAmount& amount : amounts) result.push_back({std::move(amount.resource), amount.value});
  return result;
}

std::vector<PodUsage> UsageOf(const scheduler::Core& core) {
  std::vector<PodUsage> usage;
  for (scheduler::PodResources& pod : scheduler::ReportResources(core)) {
    usage.push_back({.ns = std::move(pod.ns),
                     .name = std::move(pod.name),
                     .node = std::move(pod.node),
                     .scheduler = std::move(pod.scheduler),
                     .priority = pod.priority ? std::to_string(*pod.priority) : "",
                     .requests = AmountsOf(std::move(pod.requests)),
                     .limits = AmountsOf(std::move(pod.limits))});
  }
  return usage;
}

}  // namespace

void AskPodUsage(net::EventLoop& loop, LiveScheduler& scheduler, ServingParts::OnUsage done) {
  scheduler.Ask([&loop, done = std::move(done)](const scheduler::Core& core) mutable {
    loop.Post([usage = UsageOf(core), done = std::move(done)]() mutable { done(std::move(usage)); });
  });
}

}  // namespace berth::scheduler_app
