// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/selection.h"

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/test_builders.h"

namespace berth::plugins {
namespace {

using cluster::PodBuilder;

struct Victim {
  int32_t priority = 0;
  std::optional<int64_t> start;
};

framework::PreemptionCandidate Candidate(std::vector<Victim> victims, int64_t pdb_violations = 0) {
  static cluster::Cluster cluster;
  framework::PreemptionCandidate candidate{.node = {}, .victims = {}, .pdb_violations = pdb_violations};
  for (const Victim& victim : victims) {
    PodBuilder pod("victim");
    pod.Priority(victim.priority);
    if (victim.start) pod.StartedAt(Time{*victim.start});
    candidate.victims.push_back(cluster.MakePod(pod));
  }
  return candidate;
}

TEST(LeastHarmful, FirstDifferenceDecides) {
  struct Case {
    const char* what;
    std::vector<framework::PreemptionCandidate> candidates;
    std::vector<size_t> best;
  };
  const Case kCases[] = {
      {"none", {}, {}},
      {"one", {Candidate({{5, 1}})}, {0}},
      {"violations before priority", {Candidate({{1, 1}}, 1), Candidate({{9, 1}})}, {1}},
      {"highest priority before sum", {Candidate({{6, 1}}), Candidate({{5, 1}, {5, 1}, {5, 1}})}, {1}},
      {"sum before count", {Candidate({{5, 1}, {5, 1}}), Candidate({{5, 1}, {4, 1}})}, {1}},
      {"fewer victims although priorities are negative", {Candidate({{-5, 1}, {-5, 1}}), Candidate({{-5, 1}})}, {1}},
      {"later start", {Candidate({{5, 1}}), Candidate({{5, 3}}), Candidate({{5, 2}})}, {1}},
      {"start of the most important victim only", {Candidate({{5, 2}, {4, 1}}), Candidate({{5, 1}, {4, 9}})}, {0}},
      {"not started is latest", {Candidate({{5, 7}}), Candidate({{5, std::nullopt}})}, {1}},
      {"not started ties",
       {Candidate({{5, std::nullopt}}), Candidate({{5, 7}}), Candidate({{5, std::nullopt}})},
       {0, 2}},
      {"equal in all", {Candidate({{5, 1}}), Candidate({{5, 1}}), Candidate({{6, 1}})}, {0, 1}},
      {"before the epoch", {Candidate({{5, std::numeric_limits<int64_t>::min()}}), Candidate({{5, -1}})}, {1}},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(LeastHarmful(c.candidates), c.best);
  }
}

}  // namespace
}  // namespace berth::plugins
