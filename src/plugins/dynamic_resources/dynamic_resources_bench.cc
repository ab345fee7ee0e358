// SPDX-License-Identifier: Apache-2.0
// Devices where the search for them is hardest: requests that just cannot be served, and counters that make it go back.
// And what devices take in memory.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cluster/devices/test_devices.h"
#include "cluster/test_builders.h"
#include "plugins/dynamic_resources/allocator/allocator.h"

namespace berth::plugins {
namespace {

using cluster::TestClaim;
using cluster::TestDevices;
using cluster::TestRequest;
using cluster::TestSlice;

constexpr size_t kDevicesOfNode = 100;
constexpr int kRequests = 10;

void SetText(api::Device& device, const char* name, size_t value) {
  device.attributes.emplace_back(name, api::DeviceAttribute{std::to_string(value)});
  std::ranges::sort(device.attributes, {}, [](const auto& entry) { return entry.first; });
}

void TakeMemory(api::Device& device, size_t amount) {
  api::ResourceList counters;
  counters.Set("memory", api::Quantity::FromInt(static_cast<int64_t>(amount)));
  device.consumes_counters = {{.counter_set = "set", .counters = std::move(counters), .compatibility_groups = {}}};
}

api::DeviceConstraint Matching(const char* attribute) {
  return {.requests = {}, .match_attribute = std::string("gpu.example.com/") + attribute, .distinct_attribute = {}};
}

api::DeviceConstraint Differing(const char* attribute) {
  return {.requests = {}, .match_attribute = {}, .distinct_attribute = std::string("gpu.example.com/") + attribute};
}

// A node with a hundred devices: in groups of nine, each with a serial number and one of nine roots, and taking more of
// a counter than the one before it.
cluster::Cluster& CrowdedNode(int64_t counter) {
  static cluster::Cluster cluster;
  if (cluster.nodes().row_count() == 0) {
    cluster.AddNode(cluster::NodeBuilder("n"));
    cluster.objects.Put(cluster::TestClass());
    std::vector<api::Device> devices = TestDevices(kDevicesOfNode);
    for (size_t i = 0; i < devices.size(); ++i) {
      SetText(devices[i], "numa", i / 9);
      SetText(devices[i], "serial", i);
      SetText(devices[i], "root", i % 9);
      TakeMemory(devices[i], 10 + i);
    }
    cluster.objects.Put(TestSlice("devices", "pool", "n", std::move(devices), 1, 2));
  }
  api::ResourceSlice counters = TestSlice("counters", "pool", "n", {}, 1, 2);
  counters.shared_counters = {{.name = "set", .counters = {}}};
  counters.shared_counters[0].counters.Set("memory", api::Quantity::FromInt(counter));
  cluster.objects.Put(std::move(counters));
  return cluster;
}

api::ResourceClaim TenRequests(std::vector<api::DeviceConstraint> constraints, const std::string& expression = "") {
  std::vector<api::DeviceRequest> requests;
  for (int i = 0; i < kRequests; ++i) {
    requests.push_back(TestRequest("r" + std::to_string(i)));
    if (!expression.empty()) requests.back().exactly->selectors.push_back({expression});
  }
  api::ResourceClaim claim = TestClaim("c", std::move(requests));
  claim.constraints = std::move(constraints);
  return claim;
}

void Search(benchmark::State& state, const cluster::Cluster& cluster, const api::ResourceClaim& claim,
            Allocation::Outcome expected) {
  const std::vector<const api::ResourceClaim*> claims = {&claim};
  uint64_t looks = 0;
  for (auto _ : state) {
    const Allocation allocation = AllocateDevices(cluster, cluster.order().front(), claims);
    if (allocation.outcome != expected) state.SkipWithError("the search has another end");
    looks = allocation.looks;
  }
  state.counters["looks"] = static_cast<double>(looks);
}

void Search(benchmark::State& state, const api::ResourceClaim& claim, int64_t counter, bool is_possible) {
  Search(state, CrowdedNode(counter), claim,
         is_possible ? Allocation::Outcome::kAllocated : Allocation::Outcome::kNothing);
}

constexpr int64_t kPlenty = 1'000'000;

void BM_TenOfGroupsOfNine(benchmark::State& state) { Search(state, TenRequests({Matching("numa")}), kPlenty, false); }
BENCHMARK(BM_TenOfGroupsOfNine)->Unit(benchmark::kMicrosecond);

void BM_TenDifferentOfNineValues(benchmark::State& state) {
  Search(state, TenRequests({Differing("root")}), kPlenty, false);
}
BENCHMARK(BM_TenDifferentOfNineValues)->Unit(benchmark::kMicrosecond);

void BM_TenOfGroupsOfNineAllDifferent(benchmark::State& state) {
  Search(state, TenRequests({Matching("numa"), Differing("serial")}), kPlenty, false);
}
BENCHMARK(BM_TenOfGroupsOfNineAllDifferent)->Unit(benchmark::kMicrosecond);

void BM_TenOfGroupsOfNineWithExpressions(benchmark::State& state) {
  Search(state, TenRequests({Matching("numa")}, R"(device.attributes["gpu.example.com"].serial != "")"), kPlenty,
         false);
}
BENCHMARK(BM_TenOfGroupsOfNineWithExpressions)->Unit(benchmark::kMicrosecond);

// The ten smallest take 145.
void BM_CounterThatIsOneShort(benchmark::State& state) { Search(state, TenRequests({}), 144, false); }
BENCHMARK(BM_CounterThatIsOneShort)->Unit(benchmark::kMicrosecond);

void BM_CounterThatJustSuffices(benchmark::State& state) { Search(state, TenRequests({}), 145, true); }
BENCHMARK(BM_CounterThatJustSuffices)->Unit(benchmark::kMicrosecond);

// The nine of a group and a counter that only one group of the last kind fits: all groups before it are tried.
void BM_CounterAndGroups(benchmark::State& state) {
  api::ResourceClaim claim = TenRequests({Matching("numa"), Differing("root")});
  claim.requests.pop_back();
  Search(state, claim, 125, false);  // The smallest group takes 126.
}
BENCHMARK(BM_CounterAndGroups)->Unit(benchmark::kMicrosecond);

// Each device takes 200 of two counters together, of which there are 1,999: each by itself is enough for ten.
void BM_TwoCountersThatAreOneShort(benchmark::State& state) {
  cluster::Cluster cluster;
  cluster.AddNode(cluster::NodeBuilder("n"));
  cluster.objects.Put(cluster::TestClass());
  std::vector<api::Device> devices = TestDevices(kDevicesOfNode);
  for (size_t i = 0; i < devices.size(); ++i) {
    api::ResourceList counters;
    const auto first = static_cast<int64_t>(50 + i);
    counters.Set("cores", api::Quantity::FromInt(first));
    counters.Set("memory", api::Quantity::FromInt(200 - first));
    devices[i].consumes_counters = {
        {.counter_set = "set", .counters = std::move(counters), .compatibility_groups = {}}};
  }
  cluster.objects.Put(TestSlice("devices", "pool", "n", std::move(devices), 1, 2));
  api::ResourceSlice counters = TestSlice("counters", "pool", "n", {}, 1, 2);
  counters.shared_counters = {{.name = "set", .counters = {}}};
  counters.shared_counters[0].counters.Set("cores", api::Quantity::FromInt(1'000));
  counters.shared_counters[0].counters.Set("memory", api::Quantity::FromInt(999));
  cluster.objects.Put(std::move(counters));
  Search(state, cluster, TenRequests({}), Allocation::Outcome::kNothing);
}
BENCHMARK(BM_TwoCountersThatAreOneShort)->Unit(benchmark::kMicrosecond);

// Four counters of which each device takes all but one: what fits is found out by trying only, so the search is given
// up.
void BM_SearchThatIsGivenUp(benchmark::State& state) {
  cluster::Cluster cluster;
  cluster.AddNode(cluster::NodeBuilder("n"));
  cluster.objects.Put(cluster::TestClass());
  std::vector<api::Device> devices = TestDevices(kDevicesOfNode);
  const char* const names[] = {"a", "b", "c", "d"};
  for (size_t i = 0; i < devices.size(); ++i) {
    api::ResourceList counters;
    for (size_t j = 0; j < 4; ++j) {
      if (i % 4 != j) counters.Set(names[j], api::Quantity::FromInt(static_cast<int64_t>(1000 + (i * 7 + j * 3) % 50)));
    }
    devices[i].consumes_counters = {
        {.counter_set = "set", .counters = std::move(counters), .compatibility_groups = {}}};
  }
  cluster.objects.Put(TestSlice("devices", "pool", "n", std::move(devices), 1, 2));
  api::ResourceSlice counters = TestSlice("counters", "pool", "n", {}, 1, 2);
  counters.shared_counters = {{.name = "set", .counters = {}}};
  for (const char* name : names) counters.shared_counters[0].counters.Set(name, api::Quantity::FromInt(7'700));
  cluster.objects.Put(std::move(counters));
  Search(state, cluster, TenRequests({}), Allocation::Outcome::kGaveUp);
}
BENCHMARK(BM_SearchThatIsGivenUp)->Unit(benchmark::kMicrosecond);

size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Eight devices on each of 5,000 nodes, with what drivers say of a GPU, half of them allocated.
void BM_MemoryOfDevices(benchmark::State& state) {
  constexpr int kNodes = 5'000;
  for (auto _ : state) {
    cluster::Cluster cluster;
    const size_t before = BytesInUse();
    for (int n = 0; n < kNodes; ++n) {
      const std::string node = fmt::format("node-{}.example.com", n);
      std::vector<api::Device> devices = TestDevices(8);
      for (size_t i = 0; i < devices.size(); ++i) {
        SetText(devices[i], "uuid", static_cast<size_t>(n) * 8 + i);
        SetText(devices[i], "productName", 100);
        SetText(devices[i], "architecture", 9);
        SetText(devices[i], "pcieRoot", i / 4);
        devices[i].capacity = {{"memory", {.value = *api::Quantity::Parse("80Gi"), .request_policy = {}}}};
      }
      cluster.objects.Put(TestSlice("slice-" + node, node, node, std::move(devices)));
      api::ResourceClaim claim = TestClaim("claim-" + node, {TestRequest("gpus", 4)});
      claim.allocation = cluster::TestAllocation(node, {"dev-0", "dev-1", "dev-2", "dev-3"});
      cluster.objects.Put(std::move(claim));
    }
    state.counters["total_mb"] = static_cast<double>(BytesInUse() - before) / 1e6;
  }
}
BENCHMARK(BM_MemoryOfDevices)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::plugins
