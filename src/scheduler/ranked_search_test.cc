// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ranked_search.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "cluster/test_builders.h"
#include "plugins/registry.h"
#include "scheduler/core.h"
#include "scheduler/test_configuration.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

constexpr Time kNow{1'000'000'000'000'000};
const std::string kZone = "topology.kubernetes.io/zone";
const std::string kHost = "kubernetes.io/hostname";

// A core whose every ranked decision is compared with a full search.
class CheckedCore {
 public:
  explicit CheckedCore(size_t patience = 1)
      : core_(Core::Create(DefaultConfiguration(), plugins::BuiltIn(), framework::FeatureGates(),
                           std::make_unique<framework::SeededChooser>(7), kNow)
                  .value()) {
    core_->CheckRankings(patience);
  }

  Core& core() { return *core_; }
  void Put(api::Object object) { core_->Step({kNow, PutObject{std::move(object)}}); }
  void Remove(const std::string& kind, const std::string& name) {
    core_->Step({kNow, RemoveObject{kind, kind == "Node" ? "" : "default", name}});
  }
  // Tries the pod, and confirms its node. Returns the name of that, or nothing.
  std::string Try(api::Pod pod) {
    Put(pod);
    const std::vector<IssuedEffect> effects = core_->Step({kNow, ScheduleNext{pod.meta.ns + "/" + pod.meta.name}});
    was_ranked_ = core_->last_attempt() && core_->last_attempt()->decision.is_ranked;
    for (const IssuedEffect& issued : effects) {
      const auto* binding = std::get_if<framework::BindPod>(&issued.effect);
      if (binding == nullptr) continue;
      pod.node_name = binding->node_name;
      core_->Step({kNow, EffectAnswer{.id = issued.id, .code = EffectAnswer::Code::kOk, .message = ""}});
      Put(pod);
      return pod.node_name;
    }
    return "";
  }
  bool was_ranked() const { return was_ranked_; }

 private:
  std::unique_ptr<Core> core_;
  bool was_ranked_ = false;
};

NodeBuilder RandomNode(uint64_t number, Random& random) {
  NodeBuilder node(fmt::format("n{}", number));
  node.Capacity(random.Below(2) == 0 ? "4" : "8", "16Gi", random.Below(8) == 0 ? "3" : "110");
  if (random.Below(8) != 0) node.Zone(fmt::format("z{}", random.Below(3)));
  if (random.Below(20) != 0) node.Label(kHost, fmt::format("n{}", random.Below(30) == 0 ? 0 : number));
  if (random.Below(3) == 0) node.Label("disk", "fast");
  if (random.Below(10) == 0) node.Unschedulable();
  if (random.Below(6) == 0) node.Taint("busy", "", random.Below(2) == 0 ? "NoSchedule" : "PreferNoSchedule");
  if (random.Below(4) == 0) node.Image("shop:1", 500 << 20);
  return node;
}

// One of a few kinds of pods; all of a kind share a template.
PodBuilder PodOfKind(uint64_t kind, const std::string& name) {
  PodBuilder pod(name);
  pod.SchedulerName("default-scheduler").Request("cpu", "200m").Request("memory", "256Mi");
  pod.Label("app", fmt::format("app-{}", kind)).Image(kind % 2 == 0 ? "shop:1" : "other:2");
  const api::Labels own{{"app", fmt::format("app-{}", kind)}};
  switch (kind) {
    case 0: break;
    case 1: pod.Owner("ReplicaSet", "web"); break;
    case 2: pod.Spread(1, kZone, "DoNotSchedule", own).Spread(1, kHost, "ScheduleAnyway", own); break;
    case 3: pod.Spread(2, kHost, "DoNotSchedule", own); break;
    case 4: pod.Spread(1, kZone, "ScheduleAnyway", own).Toleration("busy"); break;
    case 5: pod.PreferredNodeAffinity(10, "disk", "In", {"fast"}).PreferredNodeAffinity(3, kZone, "In", {"z1"}); break;
    case 6: pod.NodeSelector("disk", "fast").Spread(1, kZone, "DoNotSchedule", own); break;
    case 7: pod.HostPort(80); break;
    case 8: pod.Affinity(cluster::Term(kZone, {{"app", "app-1"}})).AntiAffinity(cluster::Term(kHost, own)); break;
    case 9: pod.PreferredAffinity(5, cluster::Term(kZone, {{"app", "app-2"}})); break;
    default: pod.Request("cpu", "100"); break;
  }
  return pod;
}
constexpr uint64_t kKinds = 11;

TEST(RankedSearch, DecidesAsAFullSearchWhileEverythingChanges) {
  int ranked = 0;
  int placed = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    CheckedCore checked;
    uint64_t nodes = 3 + random.Below(25);
    for (uint64_t i = 0; i < nodes; ++i) checked.Put(RandomNode(i, random).Build());
    std::vector<std::string> names;
    for (int step = 0; step < 400; ++step) {
      const uint64_t dice = random.Below(20);
      if (dice == 0) checked.Put(RandomNode(random.Below(nodes), random).Build());
      if (dice == 1) checked.Put(RandomNode(nodes++, random).Build());
      if (dice == 2) checked.Remove("Node", fmt::format("n{}", random.Below(nodes)));
      if (dice == 3 && !names.empty()) {
        std::swap(names[random.Below(names.size())], names.back());
        checked.Remove("Pod", names.back());
        names.pop_back();
      }
      if (dice == 4 && random.Below(3) == 0) {
        api::Service service;
        service.meta.ns = "default";
        service.meta.name = "shop";
        service.selector = api::Labels{{"app", fmt::format("app-{}", random.Below(2))}};
        checked.Put(service);
      }
      const std::string name = fmt::format("p{}", step);
      const std::string node = checked.Try(PodOfKind(random.Below(kKinds), name).Build());
      if (checked.was_ranked()) ++ranked;
      if (node.empty()) continue;
      names.push_back(name);
      ++placed;
    }
  }
  EXPECT_GT(ranked, 2000);
  EXPECT_GT(placed, 1500);
}

TEST(RankedSearch, BeginsWhenATemplateWasTriedOften) {
  CheckedCore checked(3);
  for (int i = 0; i < 12; ++i) checked.Put(NodeBuilder(fmt::format("n{}", i)).Capacity("4", "8Gi").Build());

  std::vector<bool> ranked;
  for (int i = 0; i < 5; ++i) {
    checked.Try(PodOfKind(0, fmt::format("p{}", i)).Build());
    ranked.push_back(checked.was_ranked());
  }

  EXPECT_EQ(ranked, (std::vector<bool>{false, false, true, true, true}));
}

TEST(RankedSearch, ForgetsTemplatesThatHaveGone) {
  CheckedCore checked;
  checked.Put(NodeBuilder("a").Capacity("4", "8Gi").Build());
  const auto rankings = [&] {
    for (const auto& [name, size] : checked.core().Sizes()) {
      if (name == "rankings") return size;
    }
    return size_t{99};
  };
  for (const std::string name : {"x", "y"}) checked.Try(PodOfKind(5, name).Build());
  EXPECT_EQ(rankings(), 1u);
  for (const std::string name : {"x", "y"}) checked.Remove("Pod", name);

  for (int i = 0; i < 300; ++i) {
    checked.Try(PodOfKind(0, "z").Build());
    checked.Remove("Pod", "z");
  }

  EXPECT_EQ(rankings(), 1u);  // That of the last.
}

}  // namespace
}  // namespace berth::scheduler
