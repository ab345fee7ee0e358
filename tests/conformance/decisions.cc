// SPDX-License-Identifier: Apache-2.0
#include "conformance/kinds.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "config/config.h"
#include "conformance/decision_writer.h"
#include "conformance/group_writer.h"
#include "conformance/world.h"
#include "explain/pod_explanation.h"
#include "plugins/registry.h"
#include "scheduler/rehearsal.h"

namespace berth::conformance {
namespace {

// Later than anything that the scenarios say has happened.
constexpr Time kNow{4'000'000'000'000'000'000};

// A scenario's settings, from which every step makes a scheduler of its own.
struct Settings {
  framework::FeatureGates gates;
  framework::SchedulerConfiguration configuration;
};

Result<Settings> LoadSettings(api::Value scenario) {
  std::map<std::string, bool> overrides;
  const api::Value gates = scenario["featureGates"];
  for (size_t i = 0; i < gates.size(); ++i) overrides.emplace(gates.key(i), gates[i].AsBool().value_or(false));
  Settings settings;
  settings.gates = BERTH_TRY(framework::FeatureGates::Create(overrides));
  const api::Value configuration = scenario["config"];
  settings.configuration = configuration.is_null() ? config::Default(settings.gates)
                                                   : BERTH_TRY(config::Load(configuration.ToJson(), settings.gates));
  // The recordings look at all nodes, whatever the configuration says.
  settings.configuration.percentage_of_nodes_to_score.reset();
  for (framework::ProfileConfiguration& profile : settings.configuration.profiles)
    profile.percentage_of_nodes_to_score.reset();
  return settings;
}

// Every step begins with a scheduler that has just read the cluster.
Result<std::string> ScheduleStep(const Settings& settings, const World& world, std::string_view pod) {
  const std::unique_ptr<scheduler::Rehearsal> rehearsal =
      BERTH_TRY(scheduler::Rehearsal::Create(settings.configuration, plugins::BuiltIn(), settings.gates,
                                             std::make_unique<framework::SmallestNameChooser>(), kNow));
  for (const auto& [key, object] : world.objects()) rehearsal->Put(object);
  const scheduler::Rehearsal::Finding finding = rehearsal->Try(pod);
  if (finding.kind == scheduler::Rehearsal::Finding::Kind::kUnknown)
    return Fail(Code::kNotFound, "no such pending pod");
  return WriteFinding(rehearsal->core(), finding, [&] {
    // Claims are written one after the other.
    std::vector<scheduler::IssuedEffect> effects = finding.effects;
    for (size_t i = 0; i < effects.size(); ++i) {
      if (std::holds_alternative<framework::BindPod>(effects[i].effect)) continue;
      std::ranges::move(rehearsal->Done(effects[i].id), std::back_inserter(effects));
    }
    return effects;
  });
}

// What the API says of the pod after the same step.
Result<std::string> ExplainStep(const Settings& settings, const World& world, std::string_view pod) {
  std::unique_ptr<scheduler::Core> core =
      BERTH_TRY(scheduler::Core::Create(settings.configuration, plugins::BuiltIn(), settings.gates,
                                        std::make_unique<framework::SmallestNameChooser>(), kNow));
  core->set_record_limits({.bytes = size_t{1} << 30, .attempts = 1, .scored_nodes = size_t{1} << 20});
  for (const auto& [key, object] : world.objects()) core->Step({kNow, scheduler::PutObject{object}});
  core->Step({kNow, scheduler::ScheduleNext{std::string(pod)}});
  const size_t slash = pod.find('/');
  api::JsonWriter json;
  explain::WritePodExplanation(json, BERTH_TRY(explain::ExplainPod(*core,
                                                                   {.ns = std::string(pod.substr(0, slash)),
                                                                    .name = std::string(pod.substr(slash + 1)),
                                                                    .why_not = {},
                                                                    .all_nodes = true},
                                                                   kNow)));
  return json.Take();
}

// Members are tried by age: pending pods enter the queue one after the other.
void PutByAge(scheduler::Rehearsal& rehearsal, const World& world) {
  std::vector<const api::Pod*> pods;
  for (const auto& [key, object] : world.objects()) {
    if (const auto* pod = std::get_if<api::Pod>(&object); pod != nullptr && pod->node_name.empty()) {
      pods.push_back(pod);
    } else {
      rehearsal.Put(object);
    }
  }
  std::ranges::stable_sort(pods, {},
                           [](const api::Pod* pod) { return std::pair(pod->meta.creation_timestamp, pod->meta.name); });
  for (const api::Pod* pod : pods) {
    rehearsal.Wait(Milliseconds(1));
    rehearsal.Put(*pod);
  }
}

Result<std::string> GroupStep(const Settings& settings, const World& world, const cluster::GroupKey& root, bool wide) {
  const std::unique_ptr<scheduler::Rehearsal> rehearsal =
      BERTH_TRY(scheduler::Rehearsal::Create(settings.configuration, plugins::BuiltIn(), settings.gates,
                                             std::make_unique<framework::SmallestNameChooser>(), kNow));
  PutByAge(*rehearsal, world);
  return WriteGroup(*rehearsal, root, wide);
}

enum class Told : uint8_t { kDecisions, kExplanations };

Result<std::string> RunStep(const Settings& settings, World& world, api::Value step, bool wide, Told told) {
  const std::string_view op = step["op"].text();
  if (op == "apply") {
    BERTH_CHECK_OK(world.Apply(step["object"]));
  } else if (op == "delete") {
    world.Delete(step["kind"].text(), step["namespace"].text(), step["name"].text());
  } else if (op == "schedule") {
    std::string pod(step["podRef"].text());
    if (step["pod"].is_map()) {
      BERTH_CHECK_OK(world.Apply(step["pod"]));
      const api::Value meta = step["pod"]["metadata"];
      pod = std::string(meta["namespace"].text()) + "/" + std::string(meta["name"].text());
    }
    std::string result =
        BERTH_TRY(told == Told::kDecisions ? ScheduleStep(settings, world, pod) : ExplainStep(settings, world, pod));
    BERTH_CHECK_OK(world.ApplyEffects(step["expect"]["effects"], pod));
    return result;
  } else if (op == "scheduleGroup") {
    const cluster::GroupKey root{step["kind"].text() == "CompositePodGroup", std::string(step["namespace"].text()),
                                 std::string(step["name"].text())};
    std::string result =
        told == Told::kDecisions ? BERTH_TRY(GroupStep(settings, world, root, wide)) : std::string("null");
    BERTH_CHECK_OK(world.ApplyGroup(step["expect"], root.ns, root.name, wide));
    return result;
  } else {
    return Invalid("unknown op " + std::string(op));
  }
  return "null";
}

Result<World> LoadWorld(api::Value objects) {
  World world;
  for (size_t i = 0; i < objects.size(); ++i) BERTH_CHECK_OK(world.Apply(objects[i]));
  return world;
}

void RunSteps(api::Value record, api::JsonWriter& results, Told told) {
  const Result<Settings> settings = LoadSettings(record);
  Result<World> world = settings ? LoadWorld(record["objects"]) : std::unexpected(settings.error());
  const api::Value steps = record["steps"];
  // The families gang-* record more of groups than the older family gang.
  const bool wide = record["family"].text().starts_with("gang-");
  for (size_t i = 0; i < steps.size(); ++i) {
    const Result<std::string> result =
        world ? RunStep(*settings, *world, steps[i], wide, told) : std::unexpected(world.error());
    if (result) {
      results.Raw(*result);
    } else {
      results.BeginObject().Key("failure").String(result.error().message).EndObject();
    }
  }
}

}  // namespace

void RunDecisions(api::Value record, api::JsonWriter& results) { RunSteps(record, results, Told::kDecisions); }

void RunExplain(api::Value record, api::JsonWriter& results) { RunSteps(record, results, Told::kExplanations); }

}  // namespace berth::conformance
