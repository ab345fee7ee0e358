// SPDX-License-Identifier: Apache-2.0
// Plans of generated rollouts on generated clusters: what is said of a core alone is what then happens in the world.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "explain/plan.h"
#include "explain/test_cluster.h"
#include "explain/test_generated.h"

namespace berth::explain {
namespace {

using api::Json;

struct Outcome {
  std::map<std::string, std::multiset<std::string>> nodes;  // By owner; of pods without a place "".
  std::multiset<std::string> victims;                       // Or their owners.

  bool operator==(const Outcome&) const = default;
};

void PrintTo(const Outcome& outcome, std::ostream* out) {
  for (const auto& [owner, nodes] : outcome.nodes) *out << owner << ": " << testing::PrintToString(nodes) << "\n";
  *out << "victims " << testing::PrintToString(outcome.victims);
}

Outcome OutcomeOf(const Json& answer) {
  Outcome outcome;
  for (const Json& pod : answer["pods"].items()) outcome.nodes[pod["owner"].text()].insert(pod["node"].text());
  // Pods of a workload of the question have names of their own in each world.
  for (const Json& eviction : answer["evictions"].items()) {
    outcome.victims.insert(eviction.Has("owner") ? eviction["owner"].text() : eviction["pod"].text());
  }
  return outcome;
}

TEST(PlanGenerated, IsWhatHappensThen) {
  size_t with_victims = 0;
  size_t with_pending = 0;
  const uint64_t cases = CasesOf(12, 200);
  for (uint64_t seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    Generator generator(seed);
    const std::string yaml = generator.Cluster();
    const std::string body = R"({"objects":[)" + generator.Rollout() + "]}";
    TestCluster asked(yaml);
    TestCluster real(yaml);

    const Result<Json> plan = asked.AskCore("plan", body);
    const Result<Json> happened = real.Ask("plan", body);

    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_TRUE(happened) << happened.error().message;
    EXPECT_EQ(OutcomeOf(*plan), OutcomeOf(*happened)) << yaml << body << "\nplan\n"
                                                      << PlanText(*plan) << "then\n"
                                                      << PlanText(*happened);
    with_victims += (*plan)["evictions"].empty() ? 0 : 1;
    with_pending += (*plan)["unplaced"].IntOr(0) > 0 ? 1 : 0;
  }
  // The cases are not all alike.
  EXPECT_GT(with_victims, cases / 20);
  EXPECT_GT(with_pending, cases / 10);
}

}  // namespace
}  // namespace berth::explain
