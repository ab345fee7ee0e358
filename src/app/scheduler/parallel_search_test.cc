// SPDX-License-Identifier: Apache-2.0
// The search for nodes with the threads of a pool gives what it gives without.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include "app/scheduler/parallel.h"
#include "cluster/test_builders.h"
#include "plugins/registry.h"
#include "scheduler/node_search.h"

namespace berth::scheduler_app {
namespace {

using framework::Status;

constexpr int kNodes = 1500;

// A foreign plugin: it judges a node by its number and knows nothing of threads.
class ByNumber final : public framework::Plugin, public framework::FilterPlugin, public framework::ScorePlugin {
 public:
  // What to answer for the node with a number.
  struct Answers {
    std::function<Status(int)> filter = [](int) { return Status::Success(); };
    std::function<Status(int)> score = [](int) { return Status::Success(); };
  };
  explicit ByNumber(Answers answers) : answers_(std::move(answers)) {}

  std::string_view name() const override { return "ByNumber"; }
  bool parallel() const override { return true; }
  Status FilterNode(framework::Cycle& cycle, cluster::NodeSlot node) const override {
    return answers_.filter(NumberOf(cycle, node));
  }
  Status ScoreNode(framework::Cycle& cycle, cluster::NodeSlot node, int64_t& score) const override {
    const int number = NumberOf(cycle, node);
    score = number % 97;
    return answers_.score(number);
  }

 private:
  static int NumberOf(const framework::Cycle& cycle, cluster::NodeSlot node) {
    return std::stoi(cycle.nodes().name[node.index]);
  }

  Answers answers_;
};

struct SearchWorld {
  explicit SearchWorld(const ByNumber::Answers& answers) {
    framework::Registry registry = plugins::BuiltIn();
    const auto make = [&](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
      return std::make_unique<ByNumber>(answers);
    };
    (void)registry.Add(framework::RowOf<ByNumber>("ByNumber", make));
    framework::ProfileConfiguration configuration;
    configuration.plugins.multi_point.enabled = {
        {"PrioritySort"}, {"DefaultBinder"}, {"NodeUnschedulable"}, {"ByNumber"}};
    profile = framework::Profile::Create(configuration, registry, framework::FeatureGates()).value();
    for (int i = 0; i < kNodes; ++i) {
      cluster::NodeBuilder node(fmt::format("{}", i));
      node.Zone(fmt::format("zone-{}", i % 7));
      if (i % 11 == 0) node.Unschedulable();
      cluster.AddNode(node);
    }
    pod = cluster.MakePod(cluster::PodBuilder("p").Build());
  }

  // Two searches, one after the other, and the scores of what was found, as text.
  std::string Search(framework::Parallelizer* parallelizer, std::optional<int32_t> percentage) {
    framework::CycleBuffers buffers;
    buffers.parallelizer = parallelizer;
    scheduler::NodeSearch search(percentage);
    std::string text;
    for (int round = 0; round < 2; ++round) {
      framework::Cycle cycle(pod, cluster, chooser, buffers, profile->plugin_count());
      cycle.candidates().Reset({}, cluster.nodes().slot_limit());
      (void)profile->RunPreFilter(cycle);
      try {
        search.Run(*profile, cycle, cluster.order());
        text += Found(cycle) + Scored(cycle);
      } catch (const std::exception& thrown) {
        text += fmt::format("threw {}", thrown.what());
      }
      text += fmt::format("next {}\n", search.next_start());
    }
    return text;
  }

  std::string Found(const framework::Cycle& cycle) const {
    const framework::Candidates& candidates = cycle.candidates();
    std::string text =
        fmt::format("error '{}' reasons {}\n", candidates.error().message(), candidates.reasons().size());
    for (const cluster::NodeSlot node : candidates.nodes())
      text += fmt::format("{} ", cluster.nodes().name[node.index]);
    for (const cluster::NodeSlot node : candidates.rejected()) {
      const framework::Verdict& verdict = candidates.verdict(node);
      text += fmt::format("{}:{}.{}.{} ", cluster.nodes().name[node.index], static_cast<int>(verdict.code),
                          verdict.plugin, verdict.reason);
    }
    return text + "\n";
  }
  std::string Scored(framework::Cycle& cycle) const {
    framework::ScoreBoard board;
    const Status status = profile->RunScores(cycle, cycle.candidates().nodes(), board);
    return fmt::format("scores {} '{}'\n", fmt::join(board.totals, " "), status.message());
  }

  cluster::Cluster cluster;
  std::unique_ptr<framework::Profile> profile;
  cluster::PodPtr pod;
  framework::SmallestNameChooser chooser;
};

// Returns what is found without threads.
std::string ExpectSameWithAnyWorkers(const ByNumber::Answers& answers, std::optional<int32_t> percentage = {}) {
  SearchWorld world(answers);
  std::string alone = world.Search(nullptr, percentage);
  for (const size_t workers : {1, 2, 16}) {
    PoolParallelizer parallelizer(workers);
    for (int round = 0; round < 3; ++round) EXPECT_EQ(world.Search(&parallelizer, percentage), alone) << workers;
  }
  return alone;
}

Status Odd(int number) {
  if (number % 3 == 0) return Status::Unschedulable(fmt::format("reason {}", number % 5));
  if (number % 7 == 0) return Status::Unresolvable("seven");
  return Status::Success();
}

TEST(ParallelSearch, FindsTheSameNodesWithTheSameReasonsAndScores) {
  const std::string found = ExpectSameWithAnyWorkers({.filter = Odd});
  EXPECT_NE(found.find("1 2 4 5"), std::string::npos);
}

TEST(ParallelSearch, StopsAtTheSameNodeWhenEnoughWereFound) { ExpectSameWithAnyWorkers({.filter = Odd}, 40); }

TEST(ParallelSearch, TheErrorOfTheFirstNodeCounts) {
  const std::string found = ExpectSameWithAnyWorkers({.filter = [](int number) {
    return number % 50 == 49 ? Status::Error(fmt::format("node {} is odd", number)) : Odd(number);
  }});
  EXPECT_NE(found.find(" is odd"), std::string::npos);
}

TEST(ParallelSearch, TheFirstFailedScoreCounts) {
  const std::string found = ExpectSameWithAnyWorkers({.score = [](int number) {
    return number >= 700 ? Status::Error(fmt::format("no score for {}", number)) : Status::Success();
  }});
  EXPECT_NE(found.find("no score for 7"), std::string::npos);
}

TEST(ParallelSearch, WhatTheFirstNodeThrowsIsThrownOn) {
  const std::string found = ExpectSameWithAnyWorkers({.filter = [](int number) {
    if (number > 900) throw std::runtime_error(fmt::format("{} is too much", number));
    return Odd(number);
  }});
  EXPECT_NE(found.find("is too much"), std::string::npos);
}

TEST(ParallelSearch, FewNodesAreNotWorthAThread) {
  std::set<std::thread::id> threads;  // Without a lock: there must be one only.
  SearchWorld world({.filter = [&](int) {
    threads.insert(std::this_thread::get_id());
    return Status::Success();
  }});
  PoolParallelizer parallelizer(2);

  // Windows of the sampled search are small.
  (void)world.Search(&parallelizer, 10);

  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
}

}  // namespace
}  // namespace berth::scheduler_app
