// SPDX-License-Identifier: Apache-2.0
// What the tracking of fields adds to a write: of a new pod, of a status, of a label, and of an applied configuration.

#include <benchmark/benchmark.h>

#include <string_view>
#include <utility>

#include "api/typed/typed.h"
#include "server/patch/apply.h"
#include "server/patch/managed_fields.h"

namespace berth::server {
namespace {

constexpr std::string_view kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1","namespace":"default","labels":{"app":"web"}},)"
    R"("spec":{"containers":[{"name":"main","image":"web:1.7","ports":[{"containerPort":8080,"protocol":"TCP"}],)"
    R"("env":[{"name":"A","value":"b"}],"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},)"
    R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],)"
    R"("restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},)"
    R"("schedulerName":"default-scheduler","enableServiceLinks":true},"status":{}})";

constexpr std::string_view kStatus =
    R"({"phase":"Running","conditions":[{"type":"Ready","status":"True","lastProbeTime":null,)"
    R"("lastTransitionTime":"2026-01-01T00:00:05Z"},{"type":"PodScheduled","status":"True","lastProbeTime":null,)"
    R"("lastTransitionTime":"2026-01-01T00:00:00Z"}],"hostIP":"10.0.0.17","podIP":"10.1.3.4","podIPs":[{"ip":"10.1.3.4"}]})";

const api::wire::Message& Message() { return api::wire::MessageAt(api::wire::FindKind("v1", "Pod")->message); }

Json Pod() {
  Json pod = ParseTree(kPod).value();
  (void)Canonicalize(pod, Message());
  return pod;
}

FieldManagerOptions Options(std::string_view manager, std::string_view subresource = {}) {
  static const FieldSet kMain = FieldSet::OfNames({{"status"}});
  static const FieldSet kOfStatus = FieldSet::OfNames({{"spec"}});
  return {.manager = manager,
          .api_version = "v1",
          .kind = "Pod",
          .subresource = subresource,
          .now = {},
          .reset = subresource.empty() ? &kMain : &kOfStatus};
}

Json StoredPod() {
  Json pod = Pod();
  TrackUpdate(nullptr, pod, Message(), Options("kubectl"));
  return pod;
}

// The copy that every iteration of the others begins with.
void BM_CopyPod(benchmark::State& state) {
  const Json pod = StoredPod();
  for (auto _ : state) {
    Json copy = pod;
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(BM_CopyPod)->Unit(benchmark::kMicrosecond);

void Track(benchmark::State& state, const Json* old, const Json& object, const FieldManagerOptions& options) {
  for (auto _ : state) {
    Json copy = object;
    TrackUpdate(old, copy, Message(), options);
    benchmark::DoNotOptimize(copy);
  }
}

void BM_TrackNewPod(benchmark::State& state) { Track(state, nullptr, Pod(), Options("kubectl")); }
BENCHMARK(BM_TrackNewPod)->Unit(benchmark::kMicrosecond);

void BM_TrackStatus(benchmark::State& state) {
  const Json old = StoredPod();
  Json object = old;
  object.Set("status", ParseTree(kStatus).value());
  Track(state, &old, object, Options("kubelet", "status"));
}
BENCHMARK(BM_TrackStatus)->Unit(benchmark::kMicrosecond);

void BM_TrackLabel(benchmark::State& state) {
  const Json old = StoredPod();
  Json object = old;
  object.Make({"metadata", "labels"}).Set("tier", "front");
  Track(state, &old, object, Options("kubectl-label"));
}
BENCHMARK(BM_TrackLabel)->Unit(benchmark::kMicrosecond);

void BM_ApplyAgain(benchmark::State& state) {
  Json config = ParseTree(kPod).value();
  config.Erase("status");
  const Json live = ApplyConfig(nullptr, config, Message(), Options("me")).value();
  for (auto _ : state) benchmark::DoNotOptimize(ApplyConfig(&live, config, Message(), Options("me")));
}
BENCHMARK(BM_ApplyAgain)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::server
