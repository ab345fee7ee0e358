// SPDX-License-Identifier: Apache-2.0
// Groups: a gang as large as the cluster, and the search for a placement of small ones.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "scheduler/test_group_cases.h"

namespace berth::scheduler {
namespace {

constexpr int64_t kNodes = 5'000;

std::unique_ptr<Rehearsal> LargeGang(int64_t pods, bool in_one_zone) {
  GroupCase empty;
  empty.min_count = static_cast<size_t>(pods);
  empty.in_one_zone = in_one_zone;
  std::unique_ptr<Rehearsal> rehearsal = empty.MakeRehearsal(0);
  for (int64_t i = 0; i < kNodes; ++i) {
    rehearsal->Put(
        cluster::NodeBuilder(fmt::format("node-{}", i)).Capacity("8", "32Gi").Zone(fmt::format("z{}", i % 2)).Build());
  }
  for (int64_t i = 0; i < pods; ++i) {
    api::Pod pod = cluster::PodBuilder(fmt::format("pod-{}", i))
                       .SchedulerName("default-scheduler")
                       .ResourceVersion("1")
                       .CreatedAt(Time{i})
                       .Request("cpu", "1")
                       .Request("memory", "1Gi");
    pod.spec.scheduling_group = "gang";
    rehearsal->Put(std::move(pod));
  }
  return rehearsal;
}

// From the attempt to the bindings of all members.
void BM_LargeGang(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    std::unique_ptr<Rehearsal> rehearsal = LargeGang(state.range(0), state.range(1) != 0);
    state.ResumeTiming();
    const size_t placed = GroupCase::CountPlaced(*rehearsal);
    state.PauseTiming();
    if (placed != static_cast<size_t>(state.range(0))) state.SkipWithError("the gang does not fit");
    rehearsal.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(BM_LargeGang)->Args({50, 0})->Args({5'000, 0})->Args({5'000, 1})->Unit(benchmark::kMillisecond);

// 500 small gangs that do not fit in the order of their members, although they could.
void BM_Search(benchmark::State& state) {
  std::vector<GroupCase> cases;
  for (Random random(1); cases.size() < 500;) {
    GroupCase group = GroupCase::Make(random);
    if (group.HasPlacement() && GroupCase::CountPlaced(*group.MakeRehearsal(0)) < group.min_count) {
      cases.push_back(std::move(group));
    }
  }
  for (auto _ : state) {
    int64_t solved = 0;
    for (const GroupCase& group : cases) {
      state.PauseTiming();
      const std::unique_ptr<Rehearsal> rehearsal = group.MakeRehearsal(state.range(0));
      state.ResumeTiming();
      if (GroupCase::CountPlaced(*rehearsal) >= group.min_count) ++solved;
    }
    state.counters["solved"] = static_cast<double>(solved);
  }
}
BENCHMARK(BM_Search)->Arg(0)->Arg(30)->Arg(100)->Arg(1'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::scheduler
