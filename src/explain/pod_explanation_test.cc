// SPDX-License-Identifier: Apache-2.0
#include "explain/pod_explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/test_core.h"

namespace berth::explain {
namespace {

using cluster::NodeBuilder;
using scheduler::Node;
using scheduler::Pod;
using scheduler::World;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using Where = QueuePlace::Where;
using Verdict = NodeFinding::Verdict;

struct Asked {
  World world;

  Asked() { world.core().set_record_limits({.bytes = 1 << 20}); }
  PodExplanation Ask(std::string name, std::string why_not = {}, bool all_nodes = false) {
    return ExplainPod(world.core(),
                      {.ns = "default", .name = std::move(name), .why_not = std::move(why_not), .all_nodes = all_nodes},
                      world.now())
        .value();
  }
};

TEST(PodExplanation, TellsWhyAPodWaits) {
  Asked asked;
  for (const char* name : {"small-1", "small-2", "small-3"}) {
    asked.world.Put(NodeBuilder(name).Capacity("500m", "1Gi").Build());
  }
  asked.world.Put(NodeBuilder("tainted").Capacity("4", "8Gi").Taint("k", "v", "NoSchedule").Build());
  asked.world.Put(Pod("a").Build());
  asked.world.ScheduleAll();

  const PodExplanation answer = asked.Ask("a", "small-2", true);

  EXPECT_EQ(answer.place.where, Where::kUnschedulable);
  EXPECT_THAT(answer.place.waits_for, UnorderedElementsAre("TaintToleration", "NodeResourcesFit"));
  EXPECT_THAT(answer.place.wakers, Contains(Field(&QueuePlace::Waker::event, "NodeAdd")));
  EXPECT_EQ(answer.place.next_retry, asked.world.now() + Minutes(5));
  EXPECT_TRUE(answer.place.may_be_earlier);
  ASSERT_EQ(answer.attempts.size(), 1u);
  const std::vector<Rejection>& rejections = answer.attempts[0].rejections;
  ASSERT_EQ(rejections.size(), 2u);
  EXPECT_EQ(rejections[0].plugin, "NodeResourcesFit");
  EXPECT_EQ(rejections[0].count, 3u);
  EXPECT_THAT(rejections[0].nodes, ElementsAre("small-1", "small-2", "small-3"));
  EXPECT_EQ(rejections[1].plugin, "TaintToleration");
  ASSERT_TRUE(answer.why_not);
  EXPECT_EQ(answer.why_not->verdict, Verdict::kRejected);
  EXPECT_THAT(answer.why_not->reasons, ElementsAre("Insufficient cpu"));
  EXPECT_EQ(answer.nodes.size(), 4u);
}

TEST(PodExplanation, TellsWhyAPodIsThereAndNotElsewhere) {
  Asked asked;
  asked.world.Put(Node("n1"));
  asked.world.Put(NodeBuilder("n2").Capacity("16", "32Gi").Build());
  asked.world.Put(NodeBuilder("small").Capacity("500m", "1Gi").Build());
  asked.world.Put(Pod("a").Build());
  asked.world.ScheduleAll();
  asked.world.Answer(asked.world.Take<framework::BindPod>().at(0).first);
  asked.world.Put(Pod("a").Node("n2").ResourceVersion("2").Build());

  const PodExplanation answer = asked.Ask("a", "n1");

  EXPECT_EQ(answer.node, "n2");
  EXPECT_EQ(answer.place.where, Where::kNowhere);
  ASSERT_EQ(answer.attempts.size(), 1u);
  EXPECT_EQ(answer.attempts[0].chosen, "n2");
  ASSERT_EQ(answer.attempts[0].scores.size(), 2u);
  EXPECT_GT(answer.attempts[0].scores[0].total, answer.attempts[0].scores[1].total);
  ASSERT_TRUE(answer.why_not);
  EXPECT_EQ(answer.why_not->verdict, Verdict::kFeasible);
  EXPECT_EQ(answer.why_not->score->total, answer.attempts[0].scores[1].total);
  EXPECT_EQ(answer.why_not->chosen_score->total, answer.attempts[0].scores[0].total);
  EXPECT_EQ(asked.Ask("a", "n2").why_not->verdict, Verdict::kChosen);
  EXPECT_EQ(asked.Ask("a", "small").why_not->verdict, Verdict::kRejected);
  EXPECT_EQ(asked.Ask("a", "nowhere").why_not->verdict, Verdict::kUnknown);
}

TEST(PodExplanation, TellsThePlaceInTheQueue) {
  Asked asked;
  asked.world.Put(Pod("low").Priority(1).Build());
  asked.world.Put(Pod("high").Priority(10).Build());
  asked.world.Put(Pod("gated").Gate("wait").Build());

  EXPECT_EQ(asked.Ask("high").place.place, 1u);
  EXPECT_EQ(asked.Ask("low").place.place, 2u);
  EXPECT_EQ(asked.Ask("low").place.length, 2u);
  EXPECT_EQ(asked.Ask("low").place.next_retry, asked.world.now());
  EXPECT_EQ(asked.Ask("gated").place.where, Where::kGated);
  EXPECT_THAT(asked.Ask("gated").place.waits_for, ElementsAre("SchedulingGates"));

  const QueueListing listing = ListQueue(asked.world.core(), asked.world.now(), 2);
  EXPECT_EQ(listing.total, 3u);
  EXPECT_EQ(listing.active, 2u);
  EXPECT_EQ(listing.gated, 1u);
  ASSERT_EQ(listing.rows.size(), 2u);
  EXPECT_EQ(listing.rows[0].name, "high");
  EXPECT_EQ(listing.rows[1].name, "low");
  EXPECT_EQ(listing.rows[1].place.place, 2u);
}

TEST(PodExplanation, SaysWhatItDoesNotKnow) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("there").Node("n1").Build());

  const Result<PodExplanation> answer =
      ExplainPod(world.core(), {.ns = "default", .name = "there", .why_not = {}}, world.now());
  const Result<PodExplanation> missing =
      ExplainPod(world.core(), {.ns = "default", .name = "missing", .why_not = {}}, world.now());

  EXPECT_THAT(answer->notes, ElementsAre(HasSubstr("--decision-records=0")));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::kNotFound);
}

}  // namespace
}  // namespace berth::explain
