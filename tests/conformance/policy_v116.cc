// SPDX-License-Identifier: Apache-2.0
#include "conformance/policy_v116.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "config/policy/policy_algorithm_v116.h"
#include "config/policy/policy_v116.h"
#include "conformance/policy_record.h"
#include "conformance/world.h"
#include "plugins/legacy/v116/registry.h"
#include "plugins/registry.h"
#include "scheduler/rehearsal.h"

namespace berth::conformance {
namespace {

using api::JsonWriter;
using api::Value;
using cluster::NodeSlot;
using framework::SchedulerConfiguration;

config::PolicyOptions OptionsOfV116() {
  config::PolicyOptions options;
  options.compat = config::PolicyCompat::kV116;
  options.check_extender = [](const framework::ExtenderConfiguration& extender) {
    return CheckCertificates(extender, config::PolicyCompat::kV116);
  };
  return options;
}

Result<config::AlgorithmV116> AlgorithmOfRecord(Value record) {
  const config::PolicyOptions options = OptionsOfV116();
  if (record["source"].text() == "provider") {
    return config::AlgorithmOfProviderV116(record["provider"].text(), options);
  }
  const config::Policy policy = BERTH_TRY(ReadPolicy(record, options.compat));
  return config::AlgorithmOfPolicyV116(policy, options);
}

void WriteExtenderV116(const framework::ExtenderConfiguration& extender, JsonWriter& json) {
  json.BeginObject();
  json.Text("urlPrefix", extender.url_prefix).Text("filterVerb", extender.filter_verb);
  json.Text("preemptVerb", extender.preempt_verb).Text("prioritizeVerb", extender.prioritize_verb);
  json.Text("bindVerb", extender.bind_verb).Key("weight").Int(extender.weight);
  json.Key("nodeCacheCapable").Bool(extender.node_cache_capable).Key("ignorable").Bool(extender.ignorable);
  std::set<std::string_view> managed;
  for (const framework::ExtenderManagedResource& resource : extender.managed_resources) managed.insert(resource.name);
  json.Key("managedResources").BeginArray();
  for (const std::string_view name : managed) json.String(name);
  json.EndArray().EndObject();
}

void WriteAlgorithm(const config::AlgorithmV116& algorithm, JsonWriter& json) {
  json.Key("predicates").BeginArray();
  for (const config::PolicyPredicate& predicate : algorithm.predicates) json.String(predicate.name);
  json.EndArray().Key("priorities").BeginArray();
  for (const config::PolicyPriority& priority : algorithm.priorities) {
    json.BeginObject().Key("name").String(priority.name).Key("weight").Int(priority.weight).EndObject();
  }
  json.EndArray();
  json.Key("alwaysCheckAllPredicates").Bool(algorithm.always_check_all_predicates);
  json.Key("extenders").BeginArray();
  for (const framework::ExtenderConfiguration& extender : algorithm.extenders) WriteExtenderV116(extender, json);
  json.EndArray();
}

// The configuration of a decision's policy.
Result<SchedulerConfiguration> ConfigurationOf(Value policy_value, bool check_all) {
  const config::PolicyOptions options = OptionsOfV116();
  const framework::FeatureGates gates;
  if (policy_value.is_null()) return config::FromProviderV116("DefaultProvider", options, gates);
  config::Policy policy = BERTH_TRY(config::DecodePolicy(policy_value.ToJson(), options.compat));
  policy.always_check_all_predicates = check_all;
  return config::FromPolicyV116(policy, options, gates);
}

void WriteNodes(std::string_view key, const std::vector<NodeSlot>& slots, const cluster::NodeTable& nodes,
                JsonWriter& json) {
  std::set<std::string_view> names;
  for (const NodeSlot slot : slots) names.insert(nodes.name[slot.index]);
  json.Key(key).BeginArray();
  for (const std::string_view name : names) json.String(name);
  json.EndArray();
}

void WriteFailed(const framework::Candidates& candidates, const cluster::NodeTable& nodes, JsonWriter& json) {
  json.Key("failed").BeginObject();
  for (const NodeSlot slot : candidates.rejected()) {
    json.Key(nodes.name[slot.index]).BeginArray();
    for (const std::string& reason : candidates.reasons().reasons(candidates.verdict(slot).reason)) json.String(reason);
    json.EndArray();
  }
  json.EndObject();
}

void WriteDecision(const scheduler::Decision& decision, const cluster::NodeTable& nodes, JsonWriter& json) {
  if (decision.outcome == scheduler::Outcome::kError) {
    json.Key("error").String(decision.message);
    return;
  }
  WriteNodes("feasible", decision.feasible, nodes, json);
  if (decision.diagnosis.candidates != nullptr) WriteFailed(*decision.diagnosis.candidates, nodes, json);
  if (decision.scores != nullptr) {
    json.Key("scores").BeginObject();
    for (size_t i = 0; i < decision.feasible.size(); ++i) {
      json.Key(nodes.name[decision.feasible[i].index]).Int(decision.scores->totals[i]);
    }
    json.EndObject();
  }
  WriteNodes("best", decision.best, nodes, json);
  if (decision.feasible.empty()) json.Key("message").String(decision.message);
}

Result<void> Decide(Value record, bool check_all, JsonWriter& json) {
  const SchedulerConfiguration configuration = BERTH_TRY(ConfigurationOf(record["policy"], check_all));
  framework::Registry registry = plugins::BuiltIn();
  plugins::RegisterV116Plugins(registry);
  const std::unique_ptr<scheduler::Rehearsal> rehearsal = BERTH_TRY(scheduler::Rehearsal::Create(
      configuration, registry, framework::FeatureGates(), std::make_unique<framework::SmallestNameChooser>()));
  World world;
  const Value objects = record["objects"];
  for (size_t i = 0; i < objects.size(); ++i) BERTH_CHECK_OK(world.Apply(objects[i]));
  for (const auto& [key, object] : world.objects()) rehearsal->Put(object);
  const scheduler::Rehearsal::Finding finding = rehearsal->Try(record["pod"].text());
  if (finding.attempt == nullptr) return Fail(Code::kNotFound, "no such pending pod");
  WriteDecision(finding.attempt->decision, rehearsal->core().cluster().nodes(), json);
  return {};
}

}  // namespace

void RunPolicyV116(Value record, JsonWriter& results) {
  const Result<config::AlgorithmV116> algorithm = AlgorithmOfRecord(record);
  results.BeginObject();
  if (algorithm) {
    WriteAlgorithm(*algorithm, results);
  } else {
    results.Key("error").String(algorithm.error().message);
  }
  results.EndObject();
}

void RunDecisionV116(Value record, JsonWriter& results) {
  results.BeginObject();
  const Value expect = record["expect"];
  for (size_t i = 0; i < expect.size(); ++i) {
    JsonWriter outcome;
    outcome.BeginObject();
    const Result<void> decided = Decide(record, expect.key(i) == "true", outcome);
    if (!decided) outcome.Key("failure").String(decided.error().message);
    results.Key(expect.key(i)).Raw(outcome.EndObject().Take());
  }
  results.EndObject();
}

}  // namespace berth::conformance
