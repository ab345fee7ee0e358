// SPDX-License-Identifier: Apache-2.0
// How fast pods are read from and written to protobuf; ParseJson of the same pod for comparison.

#include <benchmark/benchmark.h>

#include <string>

#include "api/document/value.h"
#include "api/wire/protobuf.h"
#include "api/wire/test_pod.h"
#include "api/wire/watch_stream.h"

namespace berth::api::wire {
namespace {

std::string PodListJson(int64_t count) {
  std::string json = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)";
  for (int64_t i = 0; i < count; ++i) json.append(i == 0 ? "" : ",").append(kPodMembers);
  return json + "]}";
}

std::string Protobuf(const std::string& json) { return ToProtobuf(ParseJson(json)->root()).value(); }

void BM_ParseJsonPod(benchmark::State& state) {
  const std::string json = PodJson();
  for (auto _ : state) benchmark::DoNotOptimize(ParseJson(json));
}
BENCHMARK(BM_ParseJsonPod)->Unit(benchmark::kMicrosecond);

void BM_ParseProtobufPod(benchmark::State& state) {
  const std::string bytes = Protobuf(PodJson());
  for (auto _ : state) benchmark::DoNotOptimize(ParseProtobuf(bytes));
}
BENCHMARK(BM_ParseProtobufPod)->Unit(benchmark::kMicrosecond);

constexpr std::string_view kLeftOut[] = {"managedFields"};

void BM_ParseProtobufPodWithoutManagedFields(benchmark::State& state) {
  const std::string bytes = Protobuf(PodJson());
  for (auto _ : state) benchmark::DoNotOptimize(ParseProtobuf(bytes, {.leave_out = kLeftOut}));
}
BENCHMARK(BM_ParseProtobufPodWithoutManagedFields)->Unit(benchmark::kMicrosecond);

void BM_ParseProtobufPodList(benchmark::State& state) {
  const std::string bytes = Protobuf(PodListJson(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ParseProtobuf(bytes, {.leave_out = kLeftOut}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_ParseProtobufPodList)->Arg(500)->Unit(benchmark::kMicrosecond);

void BM_ToProtobufPod(benchmark::State& state) {
  const auto document = ParseJson(PodJson());
  for (auto _ : state) benchmark::DoNotOptimize(ToProtobuf(document->root()));
}
BENCHMARK(BM_ToProtobufPod)->Unit(benchmark::kMicrosecond);

void BM_WatchStreamJson(benchmark::State& state) {
  const std::string frame = R"({"type":"ADDED","object":)" + PodJson() + "}\n";
  WatchStream stream(Encoding::kJson);
  for (auto _ : state) {
    stream.Feed(frame);
    const Result<WatchEvent> event = CutWatchFrame(Encoding::kJson, *stream.Next().value());
    benchmark::DoNotOptimize(ReadObject(event->object, *FindKind("v1", "Pod"), {.leave_out = kLeftOut}));
  }
}
BENCHMARK(BM_WatchStreamJson)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace berth::api::wire
