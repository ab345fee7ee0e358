// SPDX-License-Identifier: Apache-2.0
#include "cycle_workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "plugins/registry.h"

namespace berth::bench {
namespace {

using cluster::PodBuilder;

const std::string kZone = "topology.kubernetes.io/zone";
const std::string kHostname = "kubernetes.io/hostname";

PodBuilder Plain(const std::string& name) {
  PodBuilder pod(name);
  pod.SchedulerName("default-scheduler").Request("cpu", "100m").Request("memory", "128Mi").Label("app", "new");
  return pod;
}

PodBuilder OfService(int i, int) { return Plain(fmt::format("new-{}", i)).Label("service", "shop"); }

PodBuilder Different(int i, int) {
  return Plain(fmt::format("new-{}", i)).Request("cpu", fmt::format("{}m", 10 + i % 9'973).c_str());
}

PodBuilder Spread(int i, int) {
  return Plain(fmt::format("new-{}", i))
      .Spread(1, kZone, "DoNotSchedule", {{"app", "new"}})
      .Spread(1, kHostname, "ScheduleAnyway", {{"app", "new"}});
}

// At most as many pods as nodes can keep apart: a new group begins before the nodes run out.
PodBuilder Affinity(int i, int nodes) {
  const std::string group = fmt::format("group-{}", i / std::min(2'000, nodes - nodes / 10));
  return Plain(fmt::format("new-{}", i))
      .Label("group", group)
      .Affinity(cluster::Term(kZone, {{"app", "app-1"}}))
      .AntiAffinity(cluster::Term(kHostname, {{"group", group}}));
}

PodBuilder Preferred(int i, int) {
  return Plain(fmt::format("new-{}", i))
      .PreferredAffinity(10, cluster::Term(kZone, {{"app", "app-1"}}))
      .PreferredAntiAffinity(5, cluster::Term(kHostname, {{"app", "new"}}));
}

PodBuilder App(int i, int) {
  const std::string app = fmt::format("team-{}", i % 3'000);
  return Plain(fmt::format("new-{}", i))
      .Label("app", app)
      .AntiAffinity(cluster::Term(kHostname, {{"app", app}}))
      .PreferredAffinity(10, cluster::Term(kZone, {{"app", app}}));
}

PodBuilder TooLarge(int i, int) {
  return Plain(fmt::format("new-{}", i)).Request("cpu", "1k").PreemptionPolicy("Never");
}

PodBuilder Preempting(int i, int) { return Plain(fmt::format("new-{}", i)).Request("cpu", "63").Priority(1'000); }

}  // namespace

const std::vector<Row>& Rows() {
  static const std::vector<Row> rows = {
      {"plain", [](int i, int) { return Plain(fmt::format("new-{}", i)); }},
      {"service", OfService},
      {"different", Different},
      {"spread", Spread},
      {"affinity", Affinity},
      {"preferred", Preferred},
      {"apps", App},
      {"unschedulable", TooLarge},
      {"preempting", Preempting},
  };
  return rows;
}

void Put(scheduler::Core& core, api::Object object) { core.Step({kNow, scheduler::PutObject{std::move(object)}}); }

std::unique_ptr<scheduler::Core> MakeCore(int nodes) {
  const framework::FeatureGates gates;
  auto core = scheduler::Core::Create(config::Default(gates), plugins::BuiltIn(), gates,
                                      std::make_unique<framework::SeededChooser>(1), kNow)
                  .value();
  for (int i = 0; i < nodes; ++i) {
    const std::string name = fmt::format("node-{}", i);
    Put(*core, cluster::NodeBuilder(name)
                   .Capacity("64", "256Gi")
                   .Zone(fmt::format("zone-{}", i % 3))
                   .Label(kHostname, name)
                   .Build());
  }
  return core;
}

void AddPods(scheduler::Core& core, int nodes, int pods) {
  api::Service service;
  service.meta.ns = "default";
  service.meta.name = "shop";
  service.selector = api::Labels{{"service", "shop"}};
  Put(core, service);
  for (int i = 0; i < pods; ++i) {
    const std::string app = fmt::format("app-{}", i % 500);
    PodBuilder pod(fmt::format("{}-{}", app, i));
    pod.Label("app", app).Node(fmt::format("node-{}", i % nodes)).SchedulerName("default-scheduler");
    pod.Request("cpu", fmt::format("{}m", 50 + 10 * (i % 20)).c_str()).Request("memory", "64Mi");
    if (i % 500 % 10 == 0) pod.AntiAffinity(cluster::Term(kHostname, {{"app", app}}));
    Put(core, pod.Build());
  }
}

void Carry(scheduler::Core& core, api::Pod pod, const std::vector<scheduler::IssuedEffect>& effects, Time now) {
  for (const scheduler::IssuedEffect& issued : effects) {
    if (const auto* binding = std::get_if<framework::BindPod>(&issued.effect)) {
      pod.node_name = binding->node_name;
      core.Step({now, scheduler::PutObject{pod}});
    }
    core.Step(
        {now, scheduler::EffectAnswer{.id = issued.id, .code = scheduler::EffectAnswer::Code::kOk, .message = ""}});
  }
}

}  // namespace berth::bench
