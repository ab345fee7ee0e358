// SPDX-License-Identifier: Apache-2.0
// berth-legacy-cases: checks the plugins that only a legacy Policy can enable against what v1.22 answered.
//
//   berth-legacy-cases FILE...
//
// Each line is a cluster, a pod, arguments and the answers by plugin and point (see tests/oracle/legacy). The exit
// status is 0 if there are no differences.

#include <fmt/format.h>
#include <iostream>
#include <map>
#include <string>

#include "api/decode/decode.h"
#include "framework/chooser.h"
#include "framework/plugin.h"
#include "plugins/legacy/node_label.h"
#include "plugins/legacy/registry.h"
#include "plugins/legacy/resource_allocation.h"
#include "plugins/legacy/service_affinity.h"
#include "vector_lines.h"

namespace {

using namespace berth;
using Answers = std::map<std::string, std::string>;

constexpr std::string_view kFits = "Success: ";

std::vector<std::string> Strings(api::Value list) {
  std::vector<std::string> strings;
  for (size_t i = 0; i < list.size(); ++i) strings.emplace_back(list[i].text());
  return strings;
}

std::vector<framework::ResourceSpec> ResourceSpecs(api::Value list) {
  std::vector<framework::ResourceSpec> specs;
  for (size_t i = 0; i < list.size(); ++i) {
    specs.push_back({std::string(list[i]["Name"].text()), list[i]["Weight"].AsInt().value()});
  }
  return specs;
}

std::vector<framework::UtilizationShapePoint> Shape(api::Value list) {
  const auto number = [](api::Value value) { return static_cast<int32_t>(value.AsInt().value()); };
  std::vector<framework::UtilizationShapePoint> shape;
  for (size_t i = 0; i < list.size(); ++i) {
    shape.push_back({number(list[i]["Utilization"]), number(list[i]["Score"])});
  }
  return shape;
}

template <class T, class Decode>
void Fill(api::Value list, Decode decode, cluster::ObjectStore<T>& store) {
  for (size_t i = 0; i < list.size(); ++i) store.Put(decode(list[i]).value());
}

void Fill(api::Value root, cluster::Cluster& cluster) {
  Fill(root["services"], api::DecodeKind<api::Service>, cluster.objects.services);
  Fill(root["rcs"], api::DecodeKind<api::ReplicationController>, cluster.objects.replication_controllers);
  Fill(root["rss"], api::DecodeKind<api::ReplicaSet>, cluster.objects.replica_sets);
  Fill(root["sss"], api::DecodeKind<api::StatefulSet>, cluster.objects.stateful_sets);
  Fill(root["claims"], api::DecodeKind<api::PersistentVolumeClaim>, cluster.objects.persistent_volume_claims);
  Fill(root["volumes"], api::DecodeKind<api::PersistentVolume>, cluster.objects.persistent_volumes);
  Fill(root["classes"], api::DecodeKind<api::StorageClass>, cluster.objects.storage_classes);
  Fill(root["csiNodes"], api::DecodeKind<api::CsiNode>, cluster.objects.csi_nodes);
  const api::Value nodes = root["nodes"];
  for (size_t i = 0; i < nodes.size(); ++i) cluster.AddNode(api::DecodeNode(nodes[i]).value());
  const api::Value pods = root["pods"];
  for (size_t i = 0; i < pods.size(); ++i) {
    cluster.AddPod(cluster.MakePod(api::DecodePod(pods[i]).value())).value();
  }
}

framework::PluginArgs ArgsOf(const std::string& plugin, api::Value root) {
  if (plugin == "NodeLabel") {
    const api::Value args = root["nodeLabel"];
    return plugins::legacy::NodeLabel::Args{Strings(args["PresentLabels"]), Strings(args["AbsentLabels"]),
                                            Strings(args["PresentLabelsPreference"]),
                                            Strings(args["AbsentLabelsPreference"])};
  }
  if (plugin == "ServiceAffinity") {
    const api::Value args = root["serviceAffinity"];
    return plugins::legacy::ServiceAffinity::Args{Strings(args["AffinityLabels"]),
                                                  Strings(args["AntiAffinityLabelsPreference"])};
  }
  if (plugin == "RequestedToCapacityRatio") {
    return plugins::legacy::ResourceAllocation::RatioArgs{Shape(root["ratio"]["Shape"]),
                                                          ResourceSpecs(root["resources"])};
  }
  if (plugin.starts_with("NodeResources"))
    return plugins::legacy::ResourceAllocation::Args{ResourceSpecs(root["resources"])};
  return {};
}

// One plugin at work on the pod of a case.
class PluginRun {
 public:
  PluginRun(api::Value root, cluster::Cluster& cluster, const framework::Plugin& plugin)
      : root_(root),
        cluster_(cluster),
        plugin_(plugin),
        cycle_(cluster.MakePod(api::DecodePod(root["pod"]).value()), cluster, chooser_, buffers_, 1) {}

  // The answers by point.
  std::map<std::string, Answers> Run() {
    std::map<std::string, Answers> answers;
    const auto* pre_filter = dynamic_cast<const framework::PreFilterPlugin*>(&plugin_);
    if (pre_filter != nullptr) Expect(pre_filter->PreFilter(cycle_).status);
    if (const auto* filter = dynamic_cast<const framework::FilterPlugin*>(&plugin_)) {
      answers["filter"] = Filter(*filter);
      if (pre_filter != nullptr && pre_filter->has_extensions()) {
        answers["trial"] = Trial(*pre_filter, *filter);
        if (Filter(*filter) != answers["filter"]) answers["trial"]["after"] = "the trial has left traces";
      }
    }
    const auto* pre_score = dynamic_cast<const framework::PreScorePlugin*>(&plugin_);
    if (pre_score != nullptr) Expect(pre_score->PreScore(cycle_, cluster_.order()));
    if (const auto* score = dynamic_cast<const framework::ScorePlugin*>(&plugin_)) answers["score"] = Score(*score);
    return answers;
  }

 private:
  static void Expect(const framework::Status& status) {
    if (!status.ok()) std::cerr << status.message() << "\n";
  }

  std::string Verdict(const framework::FilterPlugin& filter, cluster::NodeSlot slot) {
    framework::Candidates candidates;
    candidates.Reset(std::span(&slot, 1), cluster_.nodes().slot_limit());
    filter.Filter(cycle_, candidates);
    if (!candidates.error().ok()) return "Error: " + candidates.error().message();
    const framework::Verdict& verdict = candidates.verdict(slot);
    const framework::Status status{verdict.code, candidates.reasons().reasons(verdict.reason), {}};
    return fmt::format("{}: {}", ToString(status.code), status.message());
  }

  Answers Filter(const framework::FilterPlugin& filter) {
    Answers answers;
    for (const cluster::NodeSlot slot : cluster_.order()) {
      const std::string verdict = Verdict(filter, slot);
      if (verdict != kFits) answers[cluster_.nodes().name[slot.index]] = verdict;
    }
    return answers;
  }

  Answers Trial(const framework::PreFilterPlugin& pre_filter, const framework::FilterPlugin& filter) {
    cluster::NodeTable& nodes = cluster_.mutable_nodes();
    cluster::NodeSlot slot;
    nodes.Find(root_["trialNode"].text(), slot);
    auto saved = nodes.Save(slot);
    const std::vector<cluster::PodPtr> pods = nodes.pods[slot.index].pods;
    for (const cluster::PodPtr& pod : pods) {
      nodes.RemovePod(slot, *pod);
      Expect(pre_filter.RemovePod(cycle_, *pod, slot));
    }
    Answers answers{{"emptied", Verdict(filter, slot)}};
    const bool goes_on = answers["emptied"] == kFits;
    for (size_t i = 0; i < pods.size(); ++i) {
      nodes.AddPod(slot, pods[i]);
      Expect(pre_filter.AddPod(cycle_, *pods[i], slot));
      if (goes_on) answers[fmt::format("added{}", i)] = Verdict(filter, slot);
    }
    nodes.Restore(slot, std::move(saved));
    return answers;
  }

  Answers Score(const framework::ScorePlugin& plugin) {
    framework::Scores scores;
    Expect(plugin.Score(cycle_, cluster_.order(), scores));
    Expect(plugin.Normalize(cycle_, cluster_.order(), scores));
    Answers answers;
    for (size_t i = 0; i < scores.size(); ++i) {
      answers[cluster_.nodes().name[cluster_.order()[i].index]] = std::to_string(scores[i]);
    }
    return answers;
  }

  api::Value root_;
  cluster::Cluster& cluster_;
  const framework::Plugin& plugin_;
  framework::SmallestNameChooser chooser_;
  framework::CycleBuffers buffers_;
  framework::Cycle cycle_;
};

Answers Read(api::Value object) {
  Answers answers;
  for (size_t i = 0; i < object.size(); ++i) answers[std::string(object.key(i))] = object[i].text();
  return answers;
}

// All answers of the case by "plugin.point"; "plugin" alone has the error of one that cannot be made.
std::map<std::string, Answers> RunCase(api::Value root) {
  cluster::Cluster cluster;
  Fill(root, cluster);
  framework::Registry registry;
  plugins::RegisterLegacyPlugins(registry);
  const framework::FeatureGates gates;
  std::map<std::string, Answers> answers;
  for (const char* name : {"NodeLabel", "ServiceAffinity", "SelectorSpread", "NodePreferAvoidPods", "EBSLimits",
                           "GCEPDLimits", "AzureDiskLimits", "CinderLimits", "NodeResourcesLeastAllocated",
                           "NodeResourcesMostAllocated", "RequestedToCapacityRatio"}) {
    const framework::PluginArgs args = ArgsOf(name, root);
    const auto plugin = registry.Find(name)->make({args, gates});
    if (!plugin) {
      answers[name] = {{"error", plugin.error().message}};
      continue;
    }
    for (auto& [point, found] : PluginRun(root, cluster, **plugin).Run()) {
      answers[fmt::format("{}.{}", name, point)] = std::move(found);
    }
  }
  return answers;
}

// How many answers differ.
size_t Check(size_t line, api::Value root, size_t& checked) {
  const std::map<std::string, Answers> found = RunCase(root);
  const api::Value expect = root["expect"];
  size_t wrong = 0;
  for (size_t i = 0; i < expect.size(); ++i) {
    const std::string key(expect.key(i));
    const auto it = found.find(key);
    const Answers have = it == found.end() ? Answers() : it->second;
    const Answers want = Read(expect[i]);
    ++checked;
    if (have == want) continue;
    ++wrong;
    std::cout << fmt::format("line {}: {}\n", line, key);
    for (const auto& [node, text] : want) std::cout << fmt::format("  want {} {}\n", node, text);
    for (const auto& [node, text] : have) std::cout << fmt::format("  have {} {}\n", node, text);
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  size_t checked = 0;
  size_t wrong = 0;
  for (int i = 1; i < argc; ++i) {
    const auto check = [&](const std::string& line, size_t number) {
      const api::Document document = api::ParseJson(line).value();
      wrong += Check(number, document.root(), checked);
    };
    if (!ForEachVector(argv[i], check)) {
      std::cerr << "cannot read " << argv[i] << "\n";
      return 2;
    }
  }
  std::cout << fmt::format("{} answers, {} differ\n", checked, wrong);
  return wrong == 0 && checked > 0 ? 0 : 1;
}
