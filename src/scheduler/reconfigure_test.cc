// SPDX-License-Identifier: Apache-2.0
// What follows when the configuration of a core changes while it is at work.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "plugins/node_affinity/node_affinity.h"
#include "scheduler/test_core.h"

namespace berth::scheduler {
namespace {

using framework::SchedulerConfiguration;

// Pods go to nodes of one colour only.
SchedulerConfiguration Only(const std::string& colour) {
  SchedulerConfiguration configuration = DefaultConfiguration();
  plugins::NodeAffinity::Args args;
  args.added_affinity.emplace();
  args.added_affinity->required.emplace();
  args.added_affinity->required->terms.push_back(
      {.match_expressions = {{"colour", "In", {colour}}}, .match_fields = {}});
  configuration.profiles[0].plugin_config.push_back({"NodeAffinity", framework::PluginArgs(std::move(args))});
  return configuration;
}

Input Change(Time now, SchedulerConfiguration configuration) {
  return {now, Reconfigure{std::make_shared<const SchedulerConfiguration>(std::move(configuration))}};
}

api::Node Coloured(const std::string& name, const std::string& colour, const char* cpu = "4") {
  return cluster::NodeBuilder(name).Capacity(cpu, "64Gi", "1000").Label("colour", colour);
}

TEST(Reconfigure, PendingPodsAreAskedAnew) {
  World world(Only("red"));
  world.Put(Coloured("blue", "blue"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  ASSERT_TRUE(world.Take<framework::BindPod>().empty());
  ASSERT_EQ(world.core().queue().unschedulable().size(), 1U);

  world.core().Step(Change(world.now(), Only("blue")));
  EXPECT_TRUE(world.core().HasWork());
  world.ScheduleAll();

  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1U);
}

TEST(Reconfigure, ConfigurationThatMakesNoProfilesChangesNothing) {
  World world(Only("red"));
  world.Put(Coloured("red", "red"));
  world.Put(Pod("a").Build());
  SchedulerConfiguration bad = Only("blue");
  bad.profiles[0].plugins.multi_point.enabled.push_back({"NoSuchPlugin"});
  ASSERT_FALSE(world.core().Check(bad).has_value());

  world.core().Step(Change(world.now(), bad));
  world.ScheduleAll();

  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1U);
  EXPECT_EQ(world.core().configuration(), Only("red"));
}

TEST(Reconfigure, ProfilesComeAndGo) {
  World world(Only("red"));
  world.Put(Coloured("red", "red"));
  world.Put(Pod("mine").Build());
  world.Put(Pod("other").SchedulerName("other").Build());
  SchedulerConfiguration changed = Only("red");
  changed.profiles[0].scheduler_name = "other";

  world.core().Step(Change(world.now(), changed));
  world.ScheduleAll();

  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1U);
  EXPECT_EQ(binds[0].second.pod->name, "other");
  world.core().Step(Change(world.now(), Only("red")));
  world.ScheduleAll();
  const auto later = world.Take<framework::BindPod>();
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0].second.pod->name, "mine");
}

TEST(Reconfigure, GatedPodsStayOutUnlessNobodyKeepsThem) {
  World world(Only("red"));
  world.Put(Coloured("red", "red"));
  world.Put(Pod("gated").Gate("wait").Build());
  world.core().Step(Change(world.now(), Only("red")));
  EXPECT_FALSE(world.core().HasWork());
  SchedulerConfiguration without_gates = Only("red");
  std::erase_if(without_gates.profiles[0].plugins.multi_point.enabled,
                [](const framework::PluginReference& plugin) { return plugin.name == "SchedulingGates"; });

  world.core().Step(Change(world.now(), without_gates));

  EXPECT_TRUE(world.core().HasWork());
}

// A world with latency: answers and bound pods come later than their orders.
class BusyWorld {
 public:
  explicit BusyWorld(const SchedulerConfiguration& configuration)
      : core_(Core::Create(configuration, plugins::BuiltIn(), {}, std::make_unique<framework::SmallestNameChooser>(),
                           kStart)
                  .value()) {}

  Core& core() { return *core_; }
  const std::map<std::string, std::vector<std::string>>& bound() const { return bound_; }  // Nodes by pod.

  void Step(Input input) {
    for (const IssuedEffect& issued : core_->Step(std::move(input))) {
      const auto* bind = std::get_if<framework::BindPod>(&issued.effect);
      if (bind == nullptr) continue;
      bound_[bind->pod->name].push_back(bind->node_name);
      pending_.emplace_back(issued.id, *bind);
    }
  }
  // Carries out what was ordered longest ago, up to `left`. Some bindings fail.
  void CarryOut(Time now, size_t left) {
    while (pending_.size() > left) {
      const auto [id, bind] = std::move(pending_.front());
      pending_.erase(pending_.begin());
      const bool fails = ++carried_out_ % 17 == 0;
      if (fails) {
        bound_[bind.pod->name].pop_back();
        Step({now, EffectAnswer{id, EffectAnswer::Code::kFailed, "conflict"}});
        continue;
      }
      Step({now, EffectAnswer{id, EffectAnswer::Code::kOk, ""}});
      Step(
          {now, PutObject{Pod(bind.pod->name).Request("cpu", "1m").Node(bind.node_name).ResourceVersion("2").Build()}});
    }
  }

 private:
  std::unique_ptr<Core> core_;
  std::map<std::string, std::vector<std::string>> bound_;
  std::vector<std::pair<uint64_t, framework::BindPod>> pending_;
  size_t carried_out_ = 0;
};

TEST(Reconfigure, HundredChangesLoseNoPodAndBindNoneTwice) {
#ifdef __OPTIMIZE__
  constexpr int kPods = 10'000;
#else
  constexpr int kPods = 1'000;
#endif
  constexpr int kChanges = 100;
  BusyWorld world(Only("red"));
  Time now = kStart;
  for (const char* colour : {"red", "blue"}) {
    for (int i = 0; i < 10; ++i) {
      world.Step({now, PutObject{Coloured(colour + std::to_string(i), colour, "1000")}});
    }
  }
  std::string colour = "red";
  std::map<std::string, std::string> decided_under;  // The colour that was asked for, by pod.
  const auto schedule = [&](int most) {
    for (int i = 0; i < most && world.core().HasWork(); ++i) {
      world.Step({now, ScheduleNext{}});
      const auto& attempt = world.core().last_attempt();
      if (attempt && attempt->decision.outcome == Outcome::kScheduled) decided_under[attempt->pod->name] = colour;
    }
  };
  for (int change = 0; change < kChanges; ++change) {
    for (int i = 0; i < kPods / kChanges; ++i) {
      const std::string name = "p" + std::to_string(change * (kPods / kChanges) + i);
      world.Step({now, PutObject{Pod(name).Request("cpu", "1m").Build()}});
      if (i % 2 == 0) schedule(1);
    }
    now = now + Milliseconds(200);
    world.CarryOut(now, 40);
    colour = colour == "red" ? "blue" : "red";
    world.Step(Change(now, Only(colour)));
  }
  for (int i = 0; i < 100 && (world.core().HasWork() || world.core().NextDeadline()); ++i) {
    schedule(kPods);
    world.CarryOut(now, 0);
    now = now + Seconds(1);
    world.Step({now, PassTime{}});
  }

  ASSERT_EQ(world.bound().size(), size_t{kPods});
  for (const auto& [pod, nodes] : world.bound()) {
    ASSERT_EQ(nodes.size(), 1U) << pod;
    ASSERT_TRUE(nodes[0].starts_with(decided_under[pod])) << pod;
  }
  EXPECT_EQ(world.core().cluster().pod_count(), size_t{kPods});
  EXPECT_EQ(world.core().cluster().assumed_count(), 0U);
  EXPECT_EQ(world.core().bindings().size(), 0U);
}

}  // namespace
}  // namespace berth::scheduler
