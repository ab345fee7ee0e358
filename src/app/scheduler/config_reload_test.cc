// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/config_reload.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.h"
#include "plugins/registry.h"
#include "runtime/test_files.h"
#include "runtime/test_timers.h"

namespace berth::scheduler_app {
namespace {

using framework::SchedulerConfiguration;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string FileWith(const std::string& more) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + more;
}

// A file, and who follows it.
struct Followed {
  runtime::TestTimers timers;
  runtime::TestDirectory directory;
  framework::FeatureGates gates;
  std::vector<SchedulerConfiguration> applied;
  std::vector<std::string> refused;
  std::optional<ConfigReload> reload;

  explicit Followed(const std::string& more = "") {
    const std::string path = Write(more);
    const auto load = [this](std::string_view text) { return config::Load(text, gates, plugins::BuiltIn()); };
    reload.emplace(timers, ConfigReload::Parts{.path = path,
                                               .configuration = load(FileWith(more)).value(),
                                               .plugins = plugins::BuiltIn(),
                                               .gates = gates,
                                               .load = load,
                                               .apply = [this](const auto& changed) { applied.push_back(changed); },
                                               .refuse = [this](const Error& e) { refused.push_back(e.message); }});
    reload->Start();
  }
  std::string Write(const std::string& more) const { return directory.Write("config.yaml", FileWith(more)); }
  void Change(const std::string& more) {
    Write(more);
    timers.Advance(Seconds(3));
  }
};

TEST(ConfigReload, TakesUpWhatCanChange) {
  Followed file;
  file.timers.Advance(Seconds(5));
  EXPECT_THAT(file.applied, IsEmpty());

  file.Change("percentageOfNodesToScore: 50\npodMaxBackoffSeconds: 20\n");
  file.Change("percentageOfNodesToScore: 50\npodMaxBackoffSeconds: 20\n# only a remark\n");
  file.Change("profiles:\n- schedulerName: another\n");

  EXPECT_THAT(file.refused, IsEmpty());
  ASSERT_EQ(file.applied.size(), 2U);
  EXPECT_EQ(file.applied[0].percentage_of_nodes_to_score, 50);
  EXPECT_EQ(file.applied[0].pod_max_backoff_seconds, 20);
  EXPECT_EQ(file.applied[1].profiles[0].scheduler_name, "another");
}

TEST(ConfigReload, RefusesEachBadFileOnceAndGoesOn) {
  Followed file;

  file.Change("profiles: 5\n");
  file.Change("profiles:\n- plugins:\n    multiPoint:\n      enabled:\n      - name: NoSuchPlugin\n");
  file.Change("podMaxBackoffSeconds: -1\n");
  EXPECT_EQ(file.refused.size(), 3U);
  EXPECT_THAT(file.refused[1], HasSubstr("NoSuchPlugin"));
  EXPECT_THAT(file.applied, IsEmpty());
  file.Change("podMaxBackoffSeconds: 20\n");

  EXPECT_EQ(file.applied.size(), 1U);
}

TEST(ConfigReload, RefusesAFileThatIsGone) {
  Followed file;
  std::filesystem::remove(file.directory.path() + "/config.yaml");

  file.timers.Advance(Seconds(5));

  EXPECT_THAT(file.refused, ElementsAre(HasSubstr("no such file")));
}

TEST(ConfigReload, RefusesWhatNeedsARestart) {
  for (const auto& [more, what] : std::vector<std::pair<std::string, std::string>>{
           {"clientConnection:\n  qps: 7\n", "clientConnection"},
           {"leaderElection:\n  leaseDuration: 20s\n", "leaderElection"},
           {"parallelism: 3\n", "parallelism"},
           {"extenders:\n- urlPrefix: http://127.0.0.1:1\n  filterVerb: f\n", "extenders"},
           {"profiles:\n- plugins:\n    multiPoint:\n      enabled:\n      - name: Coscheduling\n"
            "      disabled:\n      - name: PrioritySort\n",
            "whether Coscheduling is enabled"}}) {
    SCOPED_TRACE(more);
    Followed file;

    file.Change(more);

    EXPECT_THAT(file.applied, IsEmpty());
    ASSERT_EQ(file.refused.size(), 1U);
    EXPECT_EQ(file.refused[0], what + " cannot change without a restart");
  }
}

TEST(ConfigReload, ShowsWhatChanges) {
  const SchedulerConfiguration before = config::Default({});
  SchedulerConfiguration after = before;
  after.pod_max_backoff_seconds = 20;

  EXPECT_THAT(ChangedLines(before, after), ElementsAre("- podMaxBackoffSeconds: 10", "+ podMaxBackoffSeconds: 20"));
  EXPECT_THAT(ChangedLines(before, before), IsEmpty());
}

}  // namespace
}  // namespace berth::scheduler_app
