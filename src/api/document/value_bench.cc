// SPDX-License-Identifier: Apache-2.0
// How fast lists of pods are parsed and written.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "api/document/value.h"
#include "api/document/yaml_writer.h"

namespace berth::api {
namespace {

std::string PodListJson(size_t count) {
  std::string json = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12345"},"items":[)";
  for (size_t i = 0; i < count; ++i) {
    json += fmt::format(
        R"({}{{"metadata":{{"name":"web-{}","namespace":"default","uid":"6fd4c2b8-2f6b-4d3e-9a57-{:012}",)"
        R"("resourceVersion":"{}","creationTimestamp":"2026-01-01T00:00:00Z","labels":{{"app":"web","tier":"front"}}}},)"
        R"("spec":{{"containers":[{{"name":"main","image":"registry.example.com/web:1.{}","args":["--v=2"],)"
        R"("ports":[{{"containerPort":8080,"protocol":"TCP"}}],"resources":{{"requests":{{"cpu":"100m",)"
        R"("memory":"128Mi"}},"limits":{{"memory":"256Mi"}}}},"imagePullPolicy":"IfNotPresent"}}],)"
        R"("tolerations":[{{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
        R"("tolerationSeconds":300}}],"nodeName":"node-{}","priority":0,"schedulerName":"default-scheduler"}},)"
        R"("status":{{"phase":"Running","conditions":[{{"type":"PodScheduled","status":"True"}}]}}}})",
        i == 0 ? "" : ",", i, i, i, i % 10, i % 100);
  }
  return json + "]}";
}

void ReportBytes(benchmark::State& state, size_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * static_cast<int64_t>(state.iterations()));
}

void BM_ParseJsonPodList(benchmark::State& state) {
  const std::string json = PodListJson(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ParseJson(json));
  ReportBytes(state, json.size());
}
BENCHMARK(BM_ParseJsonPodList)->Arg(1)->Arg(5000)->Unit(benchmark::kMicrosecond);

void BM_ToJsonPodList(benchmark::State& state) {
  const std::string json = PodListJson(5000);
  const auto document = ParseJson(json);
  for (auto _ : state) benchmark::DoNotOptimize(document->root().ToJson());
  ReportBytes(state, json.size());
}
BENCHMARK(BM_ToJsonPodList)->Unit(benchmark::kMicrosecond);

void BM_ParseYamlPodList(benchmark::State& state) {
  const std::string yaml = ToYaml(ParseJson(PodListJson(5000))->root());
  for (auto _ : state) benchmark::DoNotOptimize(ParseYaml(yaml));
  ReportBytes(state, yaml.size());
}
BENCHMARK(BM_ParseYamlPodList)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::api
