// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/devices/test_devices.h"
#include "cluster/test_builders.h"
#include "plugins/dynamic_resources/allocator/allocation_result.h"

namespace berth::plugins {
namespace {

using cluster::TestClaim;
using cluster::TestDevice;
using cluster::TestDevices;
using cluster::TestRequest;
using cluster::TestSlice;
using testing::ElementsAre;

// A node "n" with devices.
class Bench {
 public:
  explicit Bench(std::vector<api::Device> devices, const cluster::DeviceOptions& options = {}) : cluster_({}, options) {
    cluster_.AddNode(cluster::NodeBuilder("n"));
    cluster_.objects.Put(cluster::TestClass());
    cluster_.objects.Put(TestSlice("s", "pool", "n", std::move(devices)));
  }

  cluster::Cluster& cluster() { return cluster_; }
  Allocation Allocate(const std::vector<api::ResourceClaim>& claims, const DeviceSearch::Limits& limits = {}) {
    std::vector<const api::ResourceClaim*> pointers;
    for (const api::ResourceClaim& claim : claims) pointers.push_back(&claim);
    return AllocateDevices(cluster_, cluster_.order().front(), pointers, limits);
  }

 private:
  cluster::Cluster cluster_;
};

std::vector<std::string> Devices(const Allocation& allocation) {
  std::vector<std::string> devices;
  for (const api::AllocationResult& result : allocation.results) {
    for (const auto& device : result.results) devices.push_back(device.request + "=" + device.device);
  }
  return devices;
}

void SetAttribute(api::Device& device, const std::string& name, std::string value) {
  device.attributes.emplace_back(name, api::DeviceAttribute{std::move(value)});
  std::ranges::sort(device.attributes, {}, [](const auto& entry) { return entry.first; });
}

void Match(api::ResourceClaim& claim, const std::string& attribute) {
  claim.constraints.push_back(
      {.requests = {}, .match_attribute = "gpu.example.com/" + attribute, .distinct_attribute = {}});
}

void Distinct(api::ResourceClaim& claim, const std::string& attribute) {
  claim.constraints.push_back(
      {.requests = {}, .match_attribute = {}, .distinct_attribute = "gpu.example.com/" + attribute});
}

TEST(Allocator, TakesTheFirstFreeDevicesInOrder) {
  Bench bench(TestDevices(4));
  api::ResourceClaim taken = TestClaim("taken", {});
  taken.allocation = cluster::TestAllocation("pool", {"dev-1"});
  bench.cluster().objects.Put(taken);

  const Allocation allocation = bench.Allocate({TestClaim("c", {TestRequest("a", 2), TestRequest("b")})});

  EXPECT_EQ(allocation.outcome, Allocation::Outcome::kAllocated);
  EXPECT_THAT(Devices(allocation), ElementsAre("a=dev-0", "a=dev-2", "b=dev-3"));
  EXPECT_EQ(allocation.results[0].node_selector->terms[0].match_fields[0].values, std::vector<std::string>{"n"});
  EXPECT_EQ(bench.Allocate({TestClaim("c", {TestRequest("a", 4)})}).outcome, Allocation::Outcome::kNothing);
}

TEST(Allocator, AnErrorBehindARequestThatCannotBeServedIsNoHindrance) {
  const DeviceSearch::Limits limits{.plain_looks = 100, .looks_max = 1'000};
  api::DeviceRequest none = TestRequest("none");
  none.exactly->selectors.push_back({"device.driver == 'other.example.com'"});
  api::DeviceRequest wrong = TestRequest("wrong");
  wrong.exactly->selectors.push_back({"device.attributes['gpu.example.com'].missing == 1"});
  Bench bench(TestDevices(30));

  EXPECT_EQ(bench.Allocate({TestClaim("c", {TestRequest("many", 5), none, wrong})}, limits).outcome,
            Allocation::Outcome::kNothing);
  EXPECT_EQ(bench.Allocate({TestClaim("c", {TestRequest("many", 5), wrong, none})}, limits).outcome,
            Allocation::Outcome::kError);
}

TEST(Allocator, TheStableOneDoesNotTellExpressionsThatADeviceCanBeShared) {
  std::vector<api::Device> devices = TestDevices(1);
  devices[0].allow_multiple_allocations = true;
  api::DeviceRequest request = TestRequest("a");
  request.exactly->selectors.push_back({"device.allowMultipleAllocations"});
  const std::vector<api::ResourceClaim> claims = {TestClaim("c", {request})};
  const cluster::DeviceOptions stable{.consumable_capacity = false, .binding_conditions = false};

  EXPECT_EQ(Bench(devices).Allocate(claims).outcome, Allocation::Outcome::kAllocated);
  EXPECT_EQ(Bench(devices, stable).Allocate(claims).outcome, Allocation::Outcome::kNothing);
}

TEST(Allocator, GoesBackWhereALaterRequestWouldGoWithout) {
  std::vector<api::Device> devices = TestDevices(3);
  devices[1].taints = devices[2].taints = {{.key = "k", .value = "", .effect = "NoSchedule"}};
  Bench bench(devices);
  api::ResourceClaim claim = TestClaim("c", {TestRequest("any"), TestRequest("plain")});
  claim.requests[0].exactly->tolerations = {
      {.key = "k", .op = "Exists", .value = "", .effect = "", .toleration_seconds = {}}};

  EXPECT_THAT(Devices(bench.Allocate({claim})), ElementsAre("any=dev-1", "plain=dev-0"));
}

TEST(Allocator, TakesTheFirstAlternativeThatLeavesEnough) {
  Bench bench(TestDevices(3));
  api::ResourceClaim claim = TestClaim("c", {TestRequest("choice"), TestRequest("more", 2)});
  api::DeviceRequest& choice = claim.requests[0];
  choice.first_available = {*TestRequest("two", 2).exactly, *TestRequest("one", 1).exactly};
  choice.exactly.reset();

  EXPECT_THAT(Devices(bench.Allocate({claim})), ElementsAre("choice/one=dev-0", "more=dev-1", "more=dev-2"));
}

TEST(Allocator, AllMeansAll) {
  Bench bench(TestDevices(2));
  api::ResourceClaim claim = TestClaim("c", {TestRequest("all")});
  claim.requests[0].exactly->allocation_mode = "All";
  EXPECT_THAT(Devices(bench.Allocate({claim})), ElementsAre("all=dev-0", "all=dev-1"));

  bench.cluster().objects.Put(TestSlice("s2", "other", "n", {}, 1, 2));
  EXPECT_EQ(bench.Allocate({claim}).error,
            "claim default/c, request all: asks for all devices, but resource pool gpu.example.com/other is currently "
            "being updated");
}

TEST(Allocator, SharesOfADeviceAddUp) {
  std::vector<api::Device> devices = TestDevices(2);
  for (api::Device& device : devices) {
    device.allow_multiple_allocations = true;
    device.capacity = {{"memory", {.value = *api::Quantity::Parse("10Gi"), .request_policy = {}}}};
  }
  Bench bench(devices);
  api::ResourceClaim claim = TestClaim("c", {TestRequest("a"), TestRequest("b")});
  claim.requests[0].exactly->capacity_requests = cluster::Amounts({{"memory", "6Gi"}});
  claim.requests[1].exactly->capacity_requests = cluster::Amounts({{"memory", "4Gi"}});

  Allocation allocation = bench.Allocate({claim});
  EXPECT_THAT(Devices(allocation), ElementsAre("a=dev-0", "b=dev-0"));
  api::AllocationResult named = allocation.results[0];
  NameShares(named, "seed");
  EXPECT_EQ(named.results[0].share_id->size(), 36u);
  EXPECT_NE(named.results[0].share_id, named.results[1].share_id);

  claim.requests[1].exactly->capacity_requests = cluster::Amounts({{"memory", "5Gi"}});
  EXPECT_THAT(Devices(bench.Allocate({claim})), ElementsAre("a=dev-0", "b=dev-1"));
}

// Parts of one thing: each device takes so much of the counter "memory".
std::vector<api::Device> Parts(const std::vector<int64_t>& sizes) {
  std::vector<api::Device> devices = TestDevices(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    api::ResourceList counters;
    counters.Set("memory", api::Quantity::FromInt(sizes[i]));
    devices[i].consumes_counters = {{.counter_set = "set", .counters = counters, .compatibility_groups = {}}};
  }
  return devices;
}

void AddCounters(Bench& bench, const std::vector<api::Device>& devices, int64_t available) {
  bench.cluster().objects.Put(TestSlice("s", "pool", "n", devices, 2, 2));
  api::ResourceSlice slice = TestSlice("t", "pool", "n", {}, 2, 2);
  slice.shared_counters = {{.name = "set", .counters = {}}};
  slice.shared_counters[0].counters.Set("memory", api::Quantity::FromInt(available));
  slice.shared_counters[0].counters.Set("cores", api::Quantity::FromInt(available + 1));
  bench.cluster().objects.Put(slice);
}

TEST(Allocator, CountersAreNotOverdrawn) {
  const std::vector<api::Device> devices = Parts({30, 20, 10, 10});
  Bench bench(devices);
  AddCounters(bench, devices, 40);

  EXPECT_THAT(Devices(bench.Allocate({TestClaim("c", {TestRequest("a", 3)})})),
              ElementsAre("a=dev-1", "a=dev-2", "a=dev-3"));
  EXPECT_EQ(bench.Allocate({TestClaim("c", {TestRequest("a", 4)})}).outcome, Allocation::Outcome::kNothing);
}

TEST(Allocator, AllTakesCountersLikeAnyOther) {
  api::ResourceClaim claim = TestClaim("c", {TestRequest("all")});
  claim.requests[0].exactly->allocation_mode = "All";

  for (const int64_t available : {40, 39}) {
    const std::vector<api::Device> devices = Parts({20, 20});
    Bench bench(devices);
    AddCounters(bench, devices, available);

    EXPECT_EQ(bench.Allocate({claim}).outcome,
              available == 40 ? Allocation::Outcome::kAllocated : Allocation::Outcome::kNothing);
  }
}

TEST(Allocator, CountersOfPoolsOfTheSameNameAreApart) {
  const std::vector<api::Device> devices = Parts({30});
  Bench bench(devices);
  AddCounters(bench, devices, 40);
  for (const char* name : {"s", "t"}) {
    api::ResourceSlice slice = *bench.cluster().objects.resource_slices.Find("", name);
    slice.meta.name += "-other";
    slice.driver = "other.example.com";
    bench.cluster().objects.Put(slice);
  }

  EXPECT_THAT(Devices(bench.Allocate({TestClaim("c", {TestRequest("a", 2)})})), ElementsAre("a=dev-0", "a=dev-0"));
  EXPECT_EQ(bench.Allocate({TestClaim("c", {TestRequest("a", 3)})}).outcome, Allocation::Outcome::kNothing);
}

TEST(Allocator, DistinctMeansFromAllOthersNotOnlyTheLast) {
  std::vector<api::Device> devices = TestDevices(4);
  const char* const values[] = {"0", "1", "0", "2"};
  for (size_t i = 0; i < devices.size(); ++i) SetAttribute(devices[i], "root", values[i]);
  api::ResourceClaim claim = TestClaim("c", {TestRequest("a", 3)});
  Distinct(claim, "root");

  EXPECT_THAT(Devices(Bench(devices).Allocate({claim})), ElementsAre("a=dev-0", "a=dev-1", "a=dev-3"));
}

TEST(Allocator, TakesManyDevicesFromManyMore) {
  Bench bench(TestDevices(1'000));
  std::vector<api::ResourceClaim> claims;
  for (int i = 0; i < 8; ++i) claims.push_back(TestClaim("c" + std::to_string(i), {TestRequest("a", 32)}));

  const Allocation allocation = bench.Allocate(claims);

  EXPECT_EQ(Devices(allocation).size(), 256u);
  EXPECT_LT(allocation.looks, 10'000u);
}

// Where upstream tries for ten seconds and gives up.
TEST(Allocator, RequestsThatJustFailAreTurnedDownInFewSteps) {
  constexpr size_t kDevices = 100;
  std::vector<api::DeviceRequest> requests;
  for (int i = 0; i < 10; ++i) requests.push_back(TestRequest("r" + std::to_string(i)));

  std::vector<api::Device> grouped = TestDevices(kDevices);
  std::vector<api::Device> few_values = TestDevices(kDevices);
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < kDevices; ++i) {
    SetAttribute(grouped[i], "numa", std::to_string(i / 9));
    SetAttribute(grouped[i], "serial", std::to_string(i));
    SetAttribute(few_values[i], "root", std::to_string(i % 9));
    sizes.push_back(static_cast<int64_t>(10 + i));
  }
  api::ResourceClaim match = TestClaim("c", requests);
  Match(match, "numa");
  api::ResourceClaim match_and_distinct = match;
  Distinct(match_and_distinct, "serial");
  api::ResourceClaim distinct = TestClaim("c", requests);
  Distinct(distinct, "root");
  api::ResourceClaim many = TestClaim("c", {TestRequest("many", 10)});
  Match(many, "numa");

  EXPECT_EQ(Bench(grouped).Allocate({match}).outcome, Allocation::Outcome::kNothing);
  EXPECT_EQ(Bench(grouped).Allocate({match_and_distinct}).outcome, Allocation::Outcome::kNothing);
  EXPECT_EQ(Bench(grouped).Allocate({many}).outcome, Allocation::Outcome::kNothing);
  EXPECT_EQ(Bench(few_values).Allocate({distinct}).outcome, Allocation::Outcome::kNothing);

  const std::vector<api::Device> parts = Parts(sizes);
  Bench counted(parts);
  AddCounters(counted, parts, 144);  // The ten smallest take 145.
  const Allocation allocation = counted.Allocate({TestClaim("c", requests)});
  EXPECT_EQ(allocation.outcome, Allocation::Outcome::kNothing);
  EXPECT_LT(allocation.looks, 10'000u);
}

// Each counter by itself is enough, but not both.
TEST(Allocator, CountersThatTogetherDoNotSufficeAreSeenAtOnce) {
  std::vector<api::Device> devices = TestDevices(100);
  for (size_t i = 0; i < devices.size(); ++i) {
    api::ResourceList counters;
    counters.Set("cores", api::Quantity::FromInt(static_cast<int64_t>(50 + i)));
    counters.Set("memory", api::Quantity::FromInt(static_cast<int64_t>(150 - i)));
    devices[i].consumes_counters = {{.counter_set = "set", .counters = counters, .compatibility_groups = {}}};
  }
  Bench bench(devices);
  AddCounters(bench, devices, 999);
  api::ResourceSlice slice = *bench.cluster().objects.resource_slices.Find("", "t");
  slice.shared_counters[0].counters.Set("cores", api::Quantity::FromInt(1'000));
  bench.cluster().objects.Put(slice);

  const Allocation allocation = bench.Allocate({TestClaim("c", {TestRequest("a", 10)})});

  EXPECT_EQ(allocation.outcome, Allocation::Outcome::kNothing);
  EXPECT_LT(allocation.looks, 10'000u);
}

TEST(Allocator, GivesUpAtTheBound) {
  Bench bench(TestDevices(20));
  const DeviceSearch::Limits limits{.plain_looks = 3, .looks_max = 3, .depth_max = 100};
  EXPECT_EQ(bench.Allocate({TestClaim("c", {TestRequest("a", 10)})}, limits).outcome, Allocation::Outcome::kGaveUp);

  const DeviceSearch::Limits shallow{.plain_looks = 1'000, .looks_max = 1'000, .depth_max = 10};
  EXPECT_EQ(bench.Allocate({TestClaim("c", {TestRequest("a", 10)})}, shallow).outcome, Allocation::Outcome::kGaveUp);
  EXPECT_EQ(bench.Allocate({TestClaim("c", {TestRequest("a", 4)})}, shallow).outcome, Allocation::Outcome::kAllocated);
}

TEST(Allocator, NumbersThatMakeNoSenseAreNeverMoreThanAnError) {
  std::vector<api::Device> devices = TestDevices(1);
  devices[0].allow_multiple_allocations = true;
  devices[0].capacity = {{"memory", {.value = *api::Quantity::Parse("10"), .request_policy = {{}}}}};
  api::CapacityRequestPolicy& policy = *devices[0].capacity[0].second.request_policy;
  api::ResourceClaim claim = TestClaim("c", {TestRequest("a", -5), TestRequest("b")});
  claim.requests[1].exactly->capacity_requests = cluster::Amounts({{"memory", "5"}});
  const auto text = [&] { return Bench(devices).Allocate({claim}).error; };

  policy.valid_range = {.min = api::Quantity::FromInt(1), .max = {}, .step = api::Quantity()};
  EXPECT_EQ(text(),
            "claim default/c, request b: checking capacity for device gpu.example.com/pool/dev-0: capacity "
            "\"memory\": capacity request cannot be represented in the device's range arithmetic: the step is "
            "not positive");
  policy.valid_range->step = api::Quantity::FromInt(1);
  claim.requests[1].exactly->capacity_requests = cluster::Amounts({{"memory", "1e30"}});
  EXPECT_THAT(text(), testing::HasSubstr("request 1e30 exceeds MaxInt64"));
  claim.requests[1].exactly->capacity_requests.reset();
  devices[0].capacity[0].second.value = api::Quantity::FromInt(-1);
  policy.valid_range.reset();
  EXPECT_THAT(text(), testing::HasSubstr("capacity value is negative"));

  claim.requests[1].exactly->count = 1'000'000'000'000;
  EXPECT_EQ(text(),
            "claim default/c, request b: adding 1000000000000 devices exceeds the claim limit of 32, with -5 "
            "already accounted for");
}

// Draws clusters and claims at random.
class RandomCase {
 public:
  explicit RandomCase(uint64_t seed) : random_(seed) {}

  size_t UpTo(size_t n) { return random_.Next() % n; }

  std::vector<api::Device> DrawDevices() {
    std::vector<int64_t> sizes;
    for (size_t i = 0; i < 3 + UpTo(6); ++i) sizes.push_back(static_cast<int64_t>(1 + UpTo(4)));
    std::vector<api::Device> devices = Parts(sizes);
    for (api::Device& device : devices) {
      if (UpTo(2) == 0) {
        const auto cores = static_cast<int64_t>(UpTo(5));
        device.consumes_counters[0].counters.Set("cores", api::Quantity::FromInt(cores));
      }
      if (UpTo(2) == 0) device.consumes_counters.clear();
      if (UpTo(8) != 0) SetAttribute(device, "numa", std::to_string(UpTo(3)));
      if (UpTo(8) != 0) SetAttribute(device, "root", std::to_string(UpTo(4)));
      if (UpTo(4) == 0) device.taints = {{.key = UpTo(2) == 0 ? "k" : "l", .value = "", .effect = "NoSchedule"}};
      if (UpTo(4) != 0) continue;
      device.allow_multiple_allocations = true;
      device.capacity = {
          {"memory", {.value = api::Quantity::FromInt(static_cast<int64_t>(1 + UpTo(3))), .request_policy = {}}}};
    }
    return devices;
  }

  api::ResourceClaim DrawClaim(const std::string& name) {
    api::ResourceClaim claim = TestClaim(name, {});
    for (size_t i = 0; i < 1 + UpTo(3); ++i) {
      api::DeviceRequest request = TestRequest("r" + std::to_string(i), static_cast<int64_t>(1 + UpTo(3)));
      Vary(*request.exactly);
      if (UpTo(4) == 0) {
        request.first_available = {*request.exactly, *TestRequest("other", 1).exactly};
        request.first_available[0].name = "wish";
        Vary(request.first_available[1]);
        request.exactly.reset();
      }
      claim.requests.push_back(std::move(request));
    }
    if (UpTo(3) == 0) Match(claim, "numa");
    if (UpTo(3) == 0) Distinct(claim, "root");
    return claim;
  }

 private:
  void Vary(api::ExactDeviceRequest& request) {
    if (UpTo(2) == 0) {
      request.tolerations = {
          {.key = UpTo(2) == 0 ? "k" : "", .op = "Exists", .value = "", .effect = "", .toleration_seconds = {}}};
    }
    if (UpTo(5) == 0) request.capacity_requests = cluster::Amounts({{"memory", "1"}});
    if (UpTo(8) == 0) request.admin_access = true;
    if (UpTo(12) == 0) request.allocation_mode = "All";
  }

  Random random_;
};

// With a memory the search finds what it finds without one.
TEST(Allocator, MemoryChangesNothingButTheTime) {
  const DeviceSearch::Limits plain{.plain_looks = 3'000'000, .looks_max = 0, .depth_max = 1'000};
  const DeviceSearch::Limits with_memory{.plain_looks = 0, .looks_max = 3'000'000, .depth_max = 1'000};
  size_t allocated = 0;
  size_t nothing = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase draw(seed);
    const std::vector<api::Device> devices = draw.DrawDevices();
    Bench bench(devices);
    AddCounters(bench, devices, static_cast<int64_t>(2 + draw.UpTo(8)));
    std::vector<api::ResourceClaim> claims = {draw.DrawClaim("c")};
    if (draw.UpTo(2) == 0) claims.push_back(draw.DrawClaim("d"));

    const Allocation expected = bench.Allocate(claims, plain);
    const Allocation found = bench.Allocate(claims, with_memory);

    if (expected.outcome == Allocation::Outcome::kGaveUp) continue;
    ASSERT_EQ(found.outcome, expected.outcome);
    ASSERT_EQ(found.results, expected.results);
    ASSERT_EQ(found.error, expected.error);
    allocated += expected.outcome == Allocation::Outcome::kAllocated ? 1 : 0;
    nothing += expected.outcome == Allocation::Outcome::kNothing ? 1 : 0;
  }
  EXPECT_GT(allocated, 50u);
  EXPECT_GT(nothing, 50u);
}

}  // namespace
}  // namespace berth::plugins
