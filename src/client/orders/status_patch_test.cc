// SPDX-License-Identifier: Apache-2.0
#include "client/orders/status_patch.h"

#include <gtest/gtest.h>

namespace berth::client {
namespace {

constexpr Time kPatchTime{1'767'225'600'000'000'000};  // 2026-01-01T00:00:00Z

api::PodCondition Condition(std::string message, std::string status = "False", int64_t generation = 1) {
  return {.type = "PodScheduled",
          .status = std::move(status),
          .reason = "Unschedulable",
          .message = std::move(message),
          .observed_generation = generation,
          .last_transition_time = kPatchTime - Seconds(60)};
}

TEST(StatusPatch, HoldsAllOfTheFirstCondition) {
  EXPECT_EQ(StatusPatch({}, "", {Condition("no room"), std::nullopt}, kPatchTime),
            R"({"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z",)"
            R"("message":"no room","observedGeneration":1,"reason":"Unschedulable","status":"False",)"
            R"("type":"PodScheduled"}]}})");
}

TEST(StatusPatch, HoldsTheNominationWithTheCondition) {
  EXPECT_EQ(StatusPatch({}, "", {Condition("no room", "False", 0), "n2"}, kPatchTime),
            R"({"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z",)"
            R"("message":"no room","reason":"Unschedulable","status":"False","type":"PodScheduled"}],)"
            R"("nominatedNodeName":"n2"}})");
}

TEST(StatusPatch, HoldsOnlyWhatChangedInAConditionOfTheSameStatus) {
  EXPECT_EQ(StatusPatch({Condition("no room")}, "", {Condition("less room"), std::nullopt}, kPatchTime),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"message":"less room","type":"PodScheduled"}]}})");
}

TEST(StatusPatch, ClearsTheNominationWithNull) {
  EXPECT_EQ(StatusPatch({Condition("no room")}, "n1", {Condition("less room"), ""}, kPatchTime),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"message":"less room","type":"PodScheduled"}],"nominatedNodeName":null}})");
  EXPECT_EQ(StatusPatch({}, "n1", {std::nullopt, ""}, kPatchTime), R"({"status":{"nominatedNodeName":null}})");
  EXPECT_EQ(StatusPatch({}, "", {std::nullopt, "n1"}, kPatchTime), R"({"status":{"nominatedNodeName":"n1"}})");
}

TEST(StatusPatch, StampsTheTimeWhenTheStatusChanges) {
  api::PodCondition before = Condition("", "True", 2);
  before.reason = "";
  EXPECT_EQ(StatusPatch({before}, "", {Condition("no room"), std::nullopt}, kPatchTime),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"lastTransitionTime":"2026-01-01T00:00:00Z","message":"no room","observedGeneration":1,)"
            R"("reason":"Unschedulable","status":"False","type":"PodScheduled"}]}})");
}

TEST(StatusPatch, RemovesWhatIsEmptyNow) {
  EXPECT_EQ(StatusPatch({Condition("no room")}, "", {Condition("", "False", 0), std::nullopt}, kPatchTime),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"message":null,"observedGeneration":null,"type":"PodScheduled"}]}})");
}

TEST(StatusPatch, AddsAConditionBehindOthers) {
  api::PodCondition other = Condition("gone");
  other.type = "DisruptionTarget";
  EXPECT_EQ(StatusPatch({Condition("no room")}, "", {other, std::nullopt}, kPatchTime),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"},{"type":"DisruptionTarget"}],)"
            R"("conditions":[{"lastProbeTime":null,"lastTransitionTime":"2026-01-01T00:00:00Z","message":"gone",)"
            R"("observedGeneration":1,"reason":"Unschedulable","status":"False","type":"DisruptionTarget"}]}})");
}

TEST(StatusPatch, IsEmptyWhenNothingIsNew) {
  EXPECT_EQ(StatusPatch({Condition("no room")}, "n1", {Condition("no room"), "n1"}, kPatchTime), "");
  EXPECT_EQ(StatusPatch({Condition("no room")}, "", {Condition("no room", "False", 2), std::nullopt}, kPatchTime), "")
      << "a newer generation alone is not worth a write";
  EXPECT_EQ(StatusPatch({}, "", {std::nullopt, ""}, kPatchTime), "");
}

TEST(StatusPatch, TellsTheGenerationWhenSomethingElseIsToldAnyway) {
  EXPECT_EQ(StatusPatch({Condition("no room")}, "", {Condition("no room", "False", 2), "n1"}, kPatchTime),
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
            R"("conditions":[{"observedGeneration":2,"type":"PodScheduled"}],"nominatedNodeName":"n1"}})");
}

}  // namespace
}  // namespace berth::client
