// SPDX-License-Identifier: Apache-2.0
// GroupCase: a small cluster and a gang whose pods may not fit in their order although a placement exists. For tests
// and benchmarks.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "cluster/test_builders.h"
#include "plugins/gang_scheduling/gang_scheduling.h"
#include "plugins/registry.h"
#include "scheduler/rehearsal.h"
#include "scheduler/test_configuration.h"

namespace berth::scheduler {

struct GroupCase {
  struct Room {
    uint64_t cpu = 0;
    uint64_t memory = 0;
  };
  struct Node {
    Room room;
    bool has_disk = false;
    uint64_t zone = 0;
  };
  struct Member {
    Room needs;
    bool needs_disk = false;
  };
  static constexpr uint64_t kZones = 2;

  std::vector<Node> nodes;
  std::vector<Member> members;
  size_t min_count = 0;
  bool in_one_zone = false;

  static GroupCase Make(Random& random) {
    const auto between = [&](uint64_t least, uint64_t most) { return least + random.Below(most - least + 1); };
    GroupCase made;
    made.in_one_zone = random.Below(3) == 0;
    const uint64_t nodes = between(2, made.in_one_zone ? 6 : 4);
    for (uint64_t i = 0; i < nodes; ++i) {
      made.nodes.push_back({{between(3, 9), between(3, 9)}, random.Below(2) == 0, random.Below(kZones)});
    }
    const uint64_t members = between(3, 7);
    for (uint64_t i = 0; i < members; ++i) {
      made.members.push_back({{between(1, 5), between(1, 5)}, random.Below(5) == 0});
    }
    made.min_count = static_cast<size_t>(random.Below(4) == 0 ? members - 1 : members);
    return made;
  }

  // Whether enough members fit, by trying everything.
  bool HasPlacement() const {
    for (uint64_t zone = 0; zone < (in_one_zone ? kZones : 1); ++zone) {
      std::vector<Node> left;
      for (const Node& node : nodes) {
        if (!in_one_zone || node.zone == zone) left.push_back(node);
      }
      if (Fits(left, 0, 0)) return true;
    }
    return false;
  }

  // A core that knows the case and searches for so many steps.
  std::unique_ptr<Rehearsal> MakeRehearsal(int64_t search_steps) const {
    framework::SchedulerConfiguration configuration = DefaultConfiguration("GangScheduling");
    framework::ProfileConfiguration& profile = configuration.profiles.front();
    profile.plugins.multi_point.enabled.push_back({"TopologyPlacementGenerator"});
    profile.plugins.multi_point.enabled.push_back({"PodGroupPodsCount", 1});
    plugins::GangScheduling::Args args;
    args.search_steps = search_steps;
    profile.plugin_config.push_back({"GangScheduling", args});
    const framework::FeatureGates gates =
        framework::FeatureGates::Create({{"GenericWorkload", true}, {"TopologyAwareWorkloadScheduling", true}}).value();
    std::unique_ptr<Rehearsal> rehearsal =
        Rehearsal::Create(configuration, plugins::BuiltIn(), gates, std::make_unique<framework::SmallestNameChooser>())
            .value();
    for (size_t i = 0; i < nodes.size(); ++i) rehearsal->Put(NodeObject(i));
    rehearsal->Put(GroupObject());
    for (size_t i = 0; i < members.size(); ++i) rehearsal->Put(PodObject(i));
    return rehearsal;
  }
  static size_t CountPlaced(Rehearsal& rehearsal) {
    const Rehearsal::GroupFinding finding = rehearsal.TryGroup({false, "default", "gang"});
    size_t count = 0;
    for (const auto& [name, member] : finding.attempt->members) {
      if (member.outcome == GroupAttempt::Member::Outcome::kScheduled) ++count;
    }
    return count;
  }

 private:
  bool Fits(std::vector<Node>& left, size_t member, size_t skipped) const {
    if (skipped > members.size() - min_count) return false;
    if (member == members.size()) return true;
    const auto& [needs, needs_disk] = members[member];
    for (Node& node : left) {
      if (node.room.cpu < needs.cpu || node.room.memory < needs.memory || (needs_disk && !node.has_disk)) continue;
      node.room.cpu -= needs.cpu;
      node.room.memory -= needs.memory;
      const bool fits = Fits(left, member + 1, skipped);
      node.room.cpu += needs.cpu;
      node.room.memory += needs.memory;
      if (fits) return true;
    }
    return Fits(left, member + 1, skipped + 1);
  }

  api::Node NodeObject(size_t i) const {
    const Node& node = nodes[i];
    cluster::NodeBuilder builder("n" + std::to_string(i));
    builder.Capacity(std::to_string(node.room.cpu).c_str(), (std::to_string(node.room.memory) + "Gi").c_str());
    builder.Zone("z" + std::to_string(node.zone)).Label("disk", node.has_disk ? "yes" : "no");
    return builder.Build();
  }
  api::Pod PodObject(size_t i) const {
    const Member& member = members[i];
    cluster::PodBuilder builder("m" + std::to_string(i));
    builder.SchedulerName("default-scheduler").ResourceVersion("1").CreatedAt(Time{static_cast<int64_t>(i)});
    builder.Request("cpu", std::to_string(member.needs.cpu).c_str());
    builder.Request("memory", (std::to_string(member.needs.memory) + "Gi").c_str());
    if (member.needs_disk) builder.NodeSelector("disk", "yes");
    api::Pod pod = builder.Build();
    pod.spec.scheduling_group = "gang";
    return pod;
  }
  api::PodGroup GroupObject() const {
    api::PodGroup group;
    group.meta.ns = "default";
    group.meta.name = "gang";
    group.meta.uid = "uid-gang";
    group.meta.resource_version = "1";
    group.spec.min_count = static_cast<int32_t>(min_count);
    if (in_one_zone) group.spec.topology_key = "topology.kubernetes.io/zone";
    return group;
  }
};

}  // namespace berth::scheduler
