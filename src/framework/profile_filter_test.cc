// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "framework/profile.h"
#include "framework/test_sort_and_bind.h"

namespace berth::framework {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;

// Rejects nodes that have the label which its name ends with; for good if its name begins with "Hard".
class LabelFilter : public Plugin, public FilterPlugin {
 public:
  explicit LabelFilter(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }
  Status FilterNode(Cycle& cycle, NodeSlot node) const override {
    const std::string label = name_.substr(name_.find(':') + 1);
    if (label == "error") return Status::Error("no way");
    if (!cycle.nodes().node[node.index]->meta.labels.Has(label)) return Status::Success();
    return name_.starts_with("Hard") ? Status::Unresolvable(label) : Status::Unschedulable(label);
  }

 private:
  std::string name_;
};

Result<std::unique_ptr<Plugin>> MakeFilter(const PluginContext& context) {
  return std::make_unique<LabelFilter>(context.name);
}

std::unique_ptr<Profile> MakeProfile(const std::vector<std::string>& filters, bool run_all) {
  Registry registry;
  for (const char* name : {"Soft", "Hard"}) {
    PluginRow row = RowOf<LabelFilter>(name, MakeFilter);
    row.several = true;
    EXPECT_TRUE(registry.Add(std::move(row)).has_value());
  }
  EXPECT_TRUE(registry.Add<SortAndBind>().has_value());
  ProfileConfiguration configuration;
  configuration.run_all_filters = run_all;
  EnableSortAndBind(configuration);
  for (const std::string& filter : filters) {
    configuration.plugins[ExtensionPoint::kFilter].enabled.push_back({filter});
  }
  Result<std::unique_ptr<Profile>> profile = Profile::Create(configuration, registry, FeatureGates());
  EXPECT_TRUE(profile.has_value()) << profile.error().message;
  return *std::move(profile);
}

class ProfileFilter : public testing::Test {
 protected:
  ProfileFilter() {
    cluster_.AddNode(NodeBuilder("a"));
    cluster_.AddNode(NodeBuilder("b").Label("x", "").Label("y", "").Label("z", ""));
    cluster_.AddNode(NodeBuilder("c").Label("z", ""));
  }

  // "node: code plugin reasons" of the rejected ones.
  std::vector<std::string> Filter(const Profile& profile) {
    Cycle cycle(cluster_.MakePod(PodBuilder("p")), cluster_, chooser_, buffers_, profile.plugin_count());
    Candidates& candidates = cycle.candidates();
    candidates.Reset(cluster_.order(), cycle.nodes().slot_limit());
    profile.RunFilters(cycle, candidates);
    if (!candidates.error().ok()) return {candidates.error().message()};
    std::vector<std::string> rejected;
    for (const NodeSlot slot : candidates.rejected()) {
      const Verdict& verdict = candidates.verdict(slot);
      const Status status{verdict.code, candidates.reasons().reasons(verdict.reason), {}};
      rejected.push_back(cycle.nodes().name[slot.index] + ": " + std::string(ToString(status.code)) + " " +
                         std::string(profile.plugin(verdict.plugin).name()) + " " + status.message());
    }
    EXPECT_EQ(candidates.nodes().size() + rejected.size(), 3);
    return rejected;
  }

  cluster::Cluster cluster_;
  SmallestNameChooser chooser_;
  CycleBuffers buffers_;
};

TEST_F(ProfileFilter, FirstFilterThatRejectsANodeIsTheLastToSeeIt) {
  const auto profile = MakeProfile({"Soft:x", "Hard:y", "Soft:z"}, false);

  EXPECT_THAT(Filter(*profile), ElementsAre("b: Unschedulable Soft:x x", "c: Unschedulable Soft:z z"));
}

TEST_F(ProfileFilter, AllFiltersRunWhereThatIsAskedFor) {
  const auto profile = MakeProfile({"Soft:x", "Hard:y", "Soft:z"}, true);

  EXPECT_THAT(Filter(*profile),
              ElementsAre("b: UnschedulableAndUnresolvable Hard:y x, y, z", "c: Unschedulable Soft:z z"));
}

TEST_F(ProfileFilter, AllFiltersRunWithAndWithoutNominatedPods) {
  const auto profile = MakeProfile({"Soft:x", "Hard:y", "Soft:z"}, true);
  cluster_.nominated.Set(cluster_.MakePod(PodBuilder("n")), "b");

  EXPECT_THAT(Filter(*profile),
              ElementsAre("b: UnschedulableAndUnresolvable Hard:y x, y, z", "c: Unschedulable Soft:z z"));
}

TEST_F(ProfileFilter, AnErrorEndsTheAttempt) {
  for (const bool run_all : {false, true}) {
    const auto profile = MakeProfile({"Soft:x", "Soft:error", "Soft:z"}, run_all);
    EXPECT_THAT(Filter(*profile), ElementsAre("running \"Soft:error\" filter plugin: no way"));
  }
}

}  // namespace
}  // namespace berth::framework
