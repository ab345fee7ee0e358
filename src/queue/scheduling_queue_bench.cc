// SPDX-License-Identifier: Apache-2.0
// How long the queue takes with many pending pods.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/test_builders.h"
#include "queue/scheduling_queue.h"

namespace berth::queue {
namespace {

constexpr PluginId kInterested{0};
constexpr PluginId kOther{1};

// One of the plugins hears of every event and never has hope.
class BenchPolicy final : public QueuePolicy {
 public:
  bool Less(const framework::QueuedPod& a, const framework::QueuedPod& b) const override {
    if (a.pod.priority() != b.pod.priority()) return a.pod.priority() > b.pod.priority();
    return a.timestamp < b.timestamp;
  }
  std::optional<PluginId> PreEnqueue(const cluster::PodInfo&, std::optional<PluginId>) const override {
    return std::nullopt;
  }
  PluginSet Interested(const framework::ClusterEvent&) const override {
    PluginSet set;
    set.Insert(kInterested);
    return set;
  }
  bool MayHelp(const framework::Change&, const cluster::PodInfo& pod, PluginId) const override {
    return pod.name.empty();
  }
};

struct World {
  explicit World(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      pods.push_back(cluster.MakePod(
          cluster::PodBuilder("pod-" + std::to_string(i)).Priority(static_cast<int32_t>(i * 7919 % 10))));
    }
  }
  Time Tick() { return now = now + Milliseconds(1); }
  void AddAll() {
    for (const cluster::PodPtr& pod : pods) queue.Add(pod, Tick());
  }

  cluster::Cluster cluster;
  std::vector<cluster::PodPtr> pods;
  BenchPolicy policy;
  PodStore store;
  Time now;
  SchedulingQueue queue{{}, policy, store, cluster.nominated};
};

const framework::Change kNodeAdd{{framework::EventResource::kNode, framework::action::kAdd}, {}, {}};

// One pod is popped, rejected and added again, per iteration.
void BM_PopAndReject(benchmark::State& state) {
  World world(static_cast<size_t>(state.range(0)));
  world.AddAll();
  for (auto _ : state) {
    std::unique_ptr<QueuedPod> pod = world.queue.Pop();
    pod->unschedulable_plugins.Insert(kOther);
    const std::string key = pod->key;
    const std::string uid = pod->pod->uid;
    world.queue.AddUnschedulable(std::move(pod), world.Tick());
    world.queue.Activate(key, uid, world.now);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_PopAndReject)->Arg(1000)->Arg(100000);

// An event, with that many pods waiting; the second number is how many of them, in percent, wait for such events.
void BM_Move(benchmark::State& state) {
  World world(static_cast<size_t>(state.range(0)));
  world.AddAll();
  for (int64_t i = 0; i < state.range(0); ++i) {
    std::unique_ptr<QueuedPod> pod = world.queue.Pop();
    pod->unschedulable_plugins.Insert(i % 100 < state.range(1) ? kInterested : kOther);
    world.queue.AddUnschedulable(std::move(pod), world.Tick());
  }
  for (auto _ : state) world.queue.Move(kNodeAdd, world.Tick());
}
BENCHMARK(BM_Move)->Args({100000, 0})->Args({100000, 1})->Args({100000, 100});

}  // namespace
}  // namespace berth::queue
