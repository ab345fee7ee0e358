// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/test_group_cases.h"

namespace berth::scheduler {
namespace {

using testing::HasSubstr;

constexpr int64_t kSteps = 1000;

// The cpu of nodes and of the pods of a gang, all of which have to fit.
GroupCase CpuCase(const std::vector<uint64_t>& nodes, const std::vector<uint64_t>& pods) {
  GroupCase made;
  for (const uint64_t cpu : nodes) made.nodes.push_back({{cpu, 100}, false, 0});
  for (const uint64_t cpu : pods) made.members.push_back({{cpu, 1}, false});
  made.min_count = pods.size();
  return made;
}

size_t PlacedOf(const GroupCase& group, int64_t steps) { return GroupCase::CountPlaced(*group.MakeRehearsal(steps)); }

TEST(GroupSearch, LargePodsGoFirst) {
  const GroupCase group = CpuCase({4, 4}, {2, 2, 4});

  EXPECT_EQ(PlacedOf(group, 0), 0u);
  EXPECT_EQ(PlacedOf(group, kSteps), 3u);
}

TEST(GroupSearch, GoesBackWhereNoOrderHelps) {
  // Only 6+4 and 5+3+2 fill both nodes.
  const GroupCase group = CpuCase({10, 10}, {2, 3, 4, 5, 6});

  EXPECT_EQ(PlacedOf(group, 0), 0u);
  EXPECT_EQ(PlacedOf(group, kSteps), 5u);
}

TEST(GroupSearch, LeavesOutWhatIsInTheWay) {
  GroupCase group = CpuCase({4}, {4, 2, 2});
  group.min_count = 2;

  EXPECT_EQ(PlacedOf(group, 0), 0u);
  EXPECT_EQ(PlacedOf(group, kSteps), 2u);
}

TEST(GroupSearch, EndsAfterItsSteps) {
  // Two pods too many, of seven that differ, on nodes that are nearly alike.
  const GroupCase group = CpuCase({20, 21, 22, 23}, {7, 8, 9, 10, 11, 12, 13, 14, 15});

  const std::unique_ptr<Rehearsal> rehearsal = group.MakeRehearsal(100);
  const Rehearsal::GroupFinding finding = rehearsal->TryGroup({false, "default", "gang"});

  EXPECT_THAT(finding.attempt->conditions.at("gang").message, HasSubstr("no placement found in 100 steps of search"));
  EXPECT_EQ(rehearsal->core().cluster().assumed_count(), 0u);
}

TEST(GroupSearch, TellsWhichMembersDoNotFitInWhichDomain) {
  GroupCase group = CpuCase({4, 2}, {2, 3});
  group.nodes[1].zone = 1;
  group.in_one_zone = true;

  const std::unique_ptr<Rehearsal> searching = group.MakeRehearsal(kSteps);
  const std::string told = searching->TryGroup({false, "default", "gang"}).attempt->conditions.at("gang").message;
  const std::unique_ptr<Rehearsal> plain = group.MakeRehearsal(0);
  const GroupAttempt attempt = *plain->TryGroup({false, "default", "gang"}).attempt;

  EXPECT_THAT(told,
              HasSubstr("z0: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, no placement exists, by a"));
  EXPECT_THAT(told, testing::ContainsRegex("z1: .*default/m1: 0/1 nodes are available: 1 Insufficient cpu."));
  // Without the search the text is upstream's, and the rest is for explanations.
  EXPECT_THAT(attempt.conditions.at("gang").message, testing::Not(HasSubstr("z1: ")));
  ASSERT_EQ(attempt.domains.size(), 2u);
  EXPECT_EQ(attempt.domains[1].name, "z1");
  EXPECT_EQ(attempt.domains[1].members.at("default/m1"), "0/1 nodes are available: 1 Insufficient cpu.");
}

#ifdef BERTH_CHECKS
constexpr int kCases = 50;  // Debug and sanitizer builds are many times slower.
#else
constexpr int kCases = 500;
#endif

TEST(GroupSearch, SolvesNearlyAllThatHaveAPlacement) {
  Random random(1);
  int cases = 0;
  int solved = 0;
  while (cases < kCases) {
    const GroupCase group = GroupCase::Make(random);
    if (!group.HasPlacement() || PlacedOf(group, 0) >= group.min_count) continue;
    ++cases;
    if (PlacedOf(group, kSteps) >= group.min_count) ++solved;
  }

  EXPECT_GE(solved, kCases * 95 / 100);
}

}  // namespace
}  // namespace berth::scheduler
