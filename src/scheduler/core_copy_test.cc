// SPDX-License-Identifier: Apache-2.0
// A copy of a core goes on as the original would, and neither notices the other. What this compares step by step in few
// kinds of events, the simulation (sim/core/simulation.cc) does with all of them.

#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "framework/chooser.h"
#include "scheduler/inspection.h"
#include "scheduler/test_core.h"
#include "scheduler/test_groups.h"

namespace berth::scheduler {
namespace {

std::string TextOf(const IssuedEffect& issued) {
  std::string text = std::to_string(issued.id) + ":" + std::to_string(issued.effect.index());
  if (const auto* bind = std::get_if<framework::BindPod>(&issued.effect)) text += bind->pod->name + bind->node_name;
  if (const auto* evict = std::get_if<framework::EvictPod>(&issued.effect)) text += evict->victim->name;
  if (const auto* event = std::get_if<framework::RecordEvent>(&issued.effect)) text += event->note;
  return text + ";";
}

std::string TextOf(const std::vector<IssuedEffect>& effects) {
  std::string text;
  for (const IssuedEffect& effect : effects) text += TextOf(effect);
  return text;
}

std::unique_ptr<Core> MakeCore(uint64_t seed) {
  return Core::Create(DefaultConfiguration("GangScheduling"), plugins::BuiltIn(), WithGroups(),
                      std::make_unique<framework::SeededChooser>(seed), kStart)
      .value();
}

// Inputs at random, and those that follow from the effects of the core that leads.
class Inputs {
 public:
  explicit Inputs(uint64_t seed) : random_(seed) {}

  Input Next(const Core& core) {
    now_ = now_ + Milliseconds(static_cast<int64_t>(random_.Below(700)));
    if (!follow_ups_.empty() && random_.Below(2) == 0) {
      Input next{now_, std::move(follow_ups_.front())};
      follow_ups_.erase(follow_ups_.begin());
      return next;
    }
    const std::string number = std::to_string(random_.Below(30));
    switch (random_.Below(8)) {
      case 0: return {now_, PutObject{api::Node(cluster::NodeBuilder("n" + number).Capacity("4", "8Gi"))}};
      case 1: return {now_, PutObject{Gang("g" + number, 2)}};
      case 2: return {now_, PutObject{Member("m" + std::to_string(++count_), "g" + number)}};
      case 3:
        if (core.pods().Find("default/p" + number) != nullptr) {
          return {now_, RemoveObject{"Pod", "default", "p" + number}};
        }
        [[fallthrough]];
      case 4:
        return {now_, PutObject{Pod("p" + number)
                                    .Uid("uid-" + std::to_string(++count_))
                                    .Priority(static_cast<int32_t>(random_.Below(3)))
                                    .Request("cpu", random_.Below(2) == 0 ? "1" : "3")
                                    .Build()}};
      case 5: return {now_, PassTime{}};
      default: return {now_, ScheduleNext{}};
    }
  }

  // The world does what it was asked for.
  void Follow(const std::vector<IssuedEffect>& effects) {
    for (const IssuedEffect& issued : effects) {
      if (const auto* bind = std::get_if<framework::BindPod>(&issued.effect)) {
        follow_ups_.emplace_back(EffectAnswer{issued.id, EffectAnswer::Code::kOk, ""});
        api::Pod pod = cluster::PodBuilder(bind->pod->name).Uid(bind->pod->uid).Node(bind->node_name);
        pod.spec = bind->pod->spec();
        pod.meta.resource_version = "bound";
        follow_ups_.emplace_back(PutObject{std::move(pod)});
      } else if (const auto* evict = std::get_if<framework::EvictPod>(&issued.effect)) {
        follow_ups_.emplace_back(EffectAnswer{issued.id, EffectAnswer::Code::kOk, ""});
        follow_ups_.emplace_back(RemoveObject{"Pod", "default", evict->victim->name});
      }
    }
  }

 private:
  Random random_;
  Time now_ = kStart;
  int count_ = 0;
  std::vector<decltype(Input::what)> follow_ups_;
};

TEST(CoreCopy, GoesOnAsTheOriginal) {
  int copies = 0;
  int binds_of_copies = 0;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    const auto core = MakeCore(seed);
    const auto without_copies = MakeCore(seed);
    Inputs inputs(seed);
    std::unique_ptr<Core> copy;
    for (int i = 0; i < 1'000; ++i) {
      const bool is_quiet = core->bindings().size() == 0 && core->queue().in_flight().empty();
      if (is_quiet && i % 7 == 0) {
        copy = core->Copy();
        ++copies;
      }
      const Input input = inputs.Next(*core);
      const std::vector<IssuedEffect> effects = core->Step(input);
      ASSERT_EQ(TextOf(without_copies->Step(input)), TextOf(effects)) << i;
      if (copy) {
        ASSERT_EQ(TextOf(copy->Step(input)), TextOf(effects)) << i;
        ASSERT_EQ(copy->HasWork(), core->HasWork());
        ASSERT_EQ(copy->NextDeadline(), core->NextDeadline());
        for (const IssuedEffect& effect : effects) binds_of_copies += effect.effect.index() == 0 ? 1 : 0;
      }
      inputs.Follow(effects);
    }
  }
  EXPECT_GT(copies, 20);
  EXPECT_GT(binds_of_copies, 20);
}

TEST(CoreCopy, WhatIsBeingBoundStaysAssumed) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  ASSERT_EQ(world.core().bindings().size(), 1U);

  const std::unique_ptr<Core> copy = world.core().Copy();

  EXPECT_EQ(copy->bindings().size(), 0U);
  EXPECT_TRUE(copy->cluster().IsAssumed("uid-a"));
  copy->Step({world.now(), PutObject{Pod("a").Node("n1").ResourceVersion("2").Build()}});
  EXPECT_FALSE(copy->cluster().IsAssumed("uid-a"));
  EXPECT_TRUE(world.core().cluster().IsAssumed("uid-a"));
}

TEST(CoreCopy, LeavesNothingBehind) {
  World world;
  for (const char* name : {"n1", "n2"}) world.Put(Node(name));
  for (int i = 0; i < 10; ++i) world.Put(Pod("p" + std::to_string(i)).Build());
  world.ScheduleAll();
  const cluster::TableSizes before = world.core().Sizes();

  {
    const std::unique_ptr<Core> copy = world.core().Copy();
    copy->Step({world.now(), PutObject{Node("n3")}});
    copy->Step({world.now(), PutObject{Pod("other").Label("only", "there").Build()}});
    while (copy->HasWork()) copy->Step({world.now(), ScheduleNext{}});
    EXPECT_GT(copy->cluster().pod_count(), world.core().cluster().pod_count());
  }

  EXPECT_EQ(world.core().Sizes(), before);
}

TEST(CoreCopy, IsFreedInPieces) {
  World world;
  world.Put(Node("n1"));
  for (int i = 0; i < 10; ++i) world.Put(Pod("p" + std::to_string(i)).Build());
  world.ScheduleAll();
  std::unique_ptr<Core> copy = world.core().Copy();
  copy->Step({world.now(), PutObject{Pod("other").Label("only", "there").Build()}});
  while (copy->HasWork()) copy->Step({world.now(), ScheduleNext{}});
  const std::weak_ptr<const cluster::PodInfo> other = copy->pods().Find("default/other");
  size_t pauses = 0;
  size_t with_other = 0;

  // Whoever has the core meanwhile finds it as it was, and may change it.
  Core::Free(std::move(copy), [&] {
    ++pauses;
    with_other += other.expired() ? 0 : 1;
    if (pauses == 100) world.Put(Node("n2"));
    ASSERT_NE(world.core().pods().Find("default/p1"), nullptr);
  });

  EXPECT_GT(with_other, 0U);
  EXPECT_LT(with_other, pauses);
  EXPECT_TRUE(other.expired());
  cluster::NodeSlot slot;
  EXPECT_TRUE(world.core().cluster().nodes().Find("n2", slot));
}

}  // namespace
}  // namespace berth::scheduler
