// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/gang_scheduling/gang_scheduling.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

#include "api/document/value.h"

namespace berth::config {
namespace {

using framework::FeatureGates;
using framework::SchedulerConfiguration;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

Result<SchedulerConfiguration> LoadYaml(const std::string& rest) { return Load(kHead + rest, FeatureGates()); }

std::string ErrorOf(const std::string& rest) {
  const auto loaded = LoadYaml(rest);
  return loaded ? "" : loaded.error().message;
}

template <class Args>
const Args& ArgsOf(const framework::ProfileConfiguration& profile, std::string_view plugin) {
  for (const framework::PluginConfig& entry : profile.plugin_config) {
    if (entry.name == plugin) return *entry.args.As<Args>();
  }
  throw std::out_of_range(std::string(plugin));
}

TEST(Config, EmptyConfigurationIsTheDefault) {
  const auto loaded = LoadYaml("");

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(*loaded, Default(FeatureGates()));
  EXPECT_EQ(loaded->profiles.front().scheduler_name, "default-scheduler");
  EXPECT_EQ(loaded->profiles.front().plugin_config.size(), 8u);
}

TEST(Config, OutputReadsBackAsTheSameConfiguration) {
  const auto loaded = LoadYaml(R"(
parallelism: 3
percentageOfNodesToScore: 0
enableProfiling: false
clientConnection: {qps: 0.1, burst: 7}
delayCacheUntilActive: true
profiles:
- schedulerName: a
  percentageOfNodesToScore: 40
  plugins: {score: {disabled: [{name: ImageLocality}], enabled: [{name: NodeAffinity, weight: 9}]}}
  pluginConfig:
  - {name: NodeName, args: {own: [1, x]}}
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 5, preference: {matchFields: [{key: metadata.name, operator: In, values: [node]}]}}
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 0, score: 1}]}}}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, minDomains: 2, matchLabelKeys: [k]}]
- schedulerName: b
extenders:
- {urlPrefix: 'http://x', filterVerb: f, prioritizeVerb: p, weight: 2, enableHTTPS: true, tlsConfig: {caData: QUJD, serverName: s}}
)");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;

  for (const std::string& text : {ToJson(*loaded), ToYaml(*loaded)}) {
    SCOPED_TRACE(text);
    const auto again = Load(text, FeatureGates());
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(*again, *loaded);
  }
  EXPECT_EQ(loaded->extenders.front().tls_config->ca_data, "ABC");
  EXPECT_FALSE(loaded->enable_contention_profiling);
}

TEST(Config, ArgumentsThatUpstreamDoesNotHaveAreThereOnlyIfGiven) {
  const FeatureGates gates = FeatureGates::Create({{"GenericWorkload", true}}).value();
  const std::string given = "profiles: [{pluginConfig: [{name: GangScheduling, args: {searchSteps: 20}}]}]";

  const auto loaded = Load(kHead + given, gates);

  EXPECT_EQ(Default(gates).profiles.front().plugin_config.size(), 8u);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(ArgsOf<plugins::GangScheduling::Args>(loaded->profiles.front(), "GangScheduling").search_steps, 20);
}

TEST(Config, TellsAnUnsetPercentageFromZero) {
  const auto unset = LoadYaml("");
  const auto zero = LoadYaml("percentageOfNodesToScore: 0\nprofiles: [{percentageOfNodesToScore: 0}]");

  EXPECT_FALSE(unset->percentage_of_nodes_to_score.has_value());
  EXPECT_FALSE(unset->profiles.front().percentage_of_nodes_to_score.has_value());
  EXPECT_EQ(zero->percentage_of_nodes_to_score, 0);
  EXPECT_EQ(zero->profiles.front().percentage_of_nodes_to_score, 0);
  EXPECT_THAT(ToJson(*unset), HasSubstr(R"("percentageOfNodesToScore":0)"));
}

TEST(Config, ZeroAndEmptyValuesGetDefaults) {
  const auto loaded = LoadYaml(
      "leaderElection: {leaseDuration: 0s, resourceName: ''}\nclientConnection: {qps: 0, burst: 0, contentType: ''}\n"
      "extenders: [{urlPrefix: x}]");

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(loaded->leader_election, framework::LeaderElectionConfiguration());
  EXPECT_EQ(loaded->client_connection, framework::ClientConnectionConfiguration());
  EXPECT_EQ(loaded->extenders.front().http_timeout, Seconds(5));
}

TEST(Config, ReadsBothFormats) {
  EXPECT_TRUE(
      Load(R"( {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"})", FeatureGates())
          .has_value());
  EXPECT_EQ(LoadYaml("parallelism: 16.0")->parallelism, 16);
  EXPECT_FALSE(Load(R"({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                        "parallelism": 16.0})",
                    FeatureGates())
                   .has_value());
}

TEST(Config, StrictErrorsNameEveryField) {
  EXPECT_EQ(
      ErrorOf("zeta: 1\nalpha: {x: 1}\nprofiles: [{plugins: {filter: {enabled: [{name: NodeName, foo: 1}]}}}]"),
      R"(strict decoding error: unknown field "alpha", unknown field "profiles[0].plugins.filter.enabled[0].foo", )"
      R"(unknown field "zeta")");
  EXPECT_EQ(
      ErrorOf("profiles: [{pluginConfig: [{name: VolumeBinding, args: {shape: [{u: 1}]}}]}]"),
      "strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin "
      R"(VolumeBinding: strict decoding error: unknown field "shape[0].u")");
  EXPECT_EQ(
      Load(R"({"zeta":1,"apiVersion":"kubescheduler.config.k8s.io/v1","alpha":2,"kind":"KubeSchedulerConfiguration",
                     "parallelism":1,"parallelism":2})",
           FeatureGates())
          .error()
          .message,
      R"(strict decoding error: unknown field "zeta", unknown field "alpha", duplicate field "parallelism")");
  EXPECT_THAT(ErrorOf("parallelism: 1\nparallelism: 2"),
              StartsWith("strict decoding error: line 4: key \"parallelism\""));
}

TEST(Config, RefusesOtherKindsAndVersions) {
  EXPECT_EQ(Load("kind: X", FeatureGates()).error().message, "Object 'apiVersion' is missing in 'kind: X'");
  EXPECT_EQ(Load("", FeatureGates()).error().message, "Object 'Kind' is missing in ''");
  EXPECT_EQ(Load("{apiVersion: a}", FeatureGates()).has_value(), false);
  EXPECT_EQ(
      Load("apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration", FeatureGates())
          .error()
          .message,
      R"(no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io/v1beta3" in )"
      R"(scheme "pkg/runtime/scheme.go:111")");
  EXPECT_EQ(
      Load("apiVersion: kubescheduler.config.k8s.io/v1\nkind: NodeAffinityArgs", FeatureGates()).error().message,
      "couldn't decode as KubeSchedulerConfiguration, got kubescheduler.config.k8s.io/v1, Kind=NodeAffinityArgs: ");
  EXPECT_EQ(ErrorOf("profiles: [{pluginConfig: [{name: VolumeBinding, args: {kind: NodeAffinityArgs}}]}]"),
            "decoding .profiles[0].pluginConfig[0]: args for plugin VolumeBinding were not of type "
            "VolumeBindingArgs.kubescheduler.config.k8s.io, got NodeAffinityArgs.kubescheduler.config.k8s.io");
}

TEST(Config, WrongTypesAreErrors) {
  for (const char* text :
       {"parallelism: x", "parallelism: 2147483648", "enableProfiling: 1", "profiles: {}", "profiles: [5]",
        "extenders: [{urlPrefix: 1}]", "clientConnection: {qps: x}", "extenders: [{tlsConfig: {caData: '!'}}]"}) {
    EXPECT_THAT(ErrorOf(text), StartsWith("field ")) << text;
  }
  EXPECT_EQ(
      ErrorOf("leaderElection: {leaseDuration: 5}"),
      "json: cannot unmarshal number into Go struct field LeaderElectionConfiguration.leaderElection.leaseDuration of "
      "type string");
  EXPECT_EQ(ErrorOf("leaderElection: {leaseDuration: null}"), "time: invalid duration \"\"");
}

TEST(Config, ValidationErrorsAreCollectedInOrder) {
  EXPECT_EQ(ErrorOf("parallelism: 0\npodMaxBackoffSeconds: 0\nclientConnection: {burst: -1}\n"
                    "leaderElection: {leaseDuration: 5s, resourceLock: x}\nprofiles: [{}, {}]"),
            "[clientConnection.burst: Invalid value: -1: must be non-negative, "
            "leaderElection.leaseDuration: Invalid value: \"10s\": must be greater than `RenewDeadline`, "
            "leaderElection.resourceLock: Invalid value: \"x\": resourceLock value must be \"leases\", "
            "parallelism: Invalid value: 0: should be an integer value greater than zero, "
            "profiles[0].schedulerName: Required value, profiles[1].schedulerName: Required value, "
            "profiles[1].schedulerName: Duplicate value: {}, "
            "podMaxBackoffSeconds: Invalid value: 0: must be greater than or equal to PodInitialBackoffSeconds]");
}

TEST(Config, QueueSortMustBeTheSameInAllProfiles) {
  EXPECT_EQ(
      ErrorOf("profiles: [{schedulerName: a}, {schedulerName: b, plugins: {queueSort: {disabled: [{name: X}]}}}]"),
      R"(profiles[1].plugins.queueSort: Invalid value: {"Enabled":null,"Disabled":[{"Name":"X","Weight":0}]}: )"
      "must be the same for all profiles");
  EXPECT_EQ(
      ErrorOf("profiles: [{schedulerName: a}, {schedulerName: b, pluginConfig: [{name: PrioritySort, args: {x: 1}}]}]"),
      R"(initializing profiles: different queue sort plugin args for profile "b")");
}

TEST(Config, SelectorErrorsTellAnEmptyListFromNone) {
  const auto error = [](const std::string& values) {
    return ErrorOf(
        "profiles: [{pluginConfig: [{name: NodeAffinity, args: {addedAffinity: "
        "{requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In" +
        values + "}]}]}}}}]}]");
  };

  EXPECT_THAT(error(""), HasSubstr("matchExpressions[0].values: Invalid value: null: for 'in'"));
  EXPECT_THAT(error(", values: []"), HasSubstr("matchExpressions[0].values: Invalid value: []: for 'in'"));
}

TEST(Config, ProfilesThatCannotBeBuiltAreRefused) {
  EXPECT_EQ(ErrorOf("profiles: [{plugins: {bind: {enabled: [{name: NodeName}]}}}]"),
            "initializing profiles: creating profile for scheduler name default-scheduler: "
            "plugin \"NodeName\" does not extend BindPlugin plugin");
  EXPECT_EQ(
      ErrorOf("profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {}}}]}]"),
      "initializing profiles: creating profile for scheduler name default-scheduler: initializing plugin "
      "\"NodeResourcesFit\": scoringStrategy.type: Unsupported value: \"\": supported values: \"LeastAllocated\", "
      "\"MostAllocated\", \"RequestedToCapacityRatio\"");
  EXPECT_EQ(ErrorOf("profiles: [{plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, "
                    "{name: DefaultBinder}]},"
                    " podGroupPostFilter: {enabled: [{name: DefaultPreemption}]}}}]"),
            "initializing profiles: creating profile for scheduler name default-scheduler: initializing plugin "
            "\"DefaultPreemption\": got args of type <nil>, want *DefaultPreemptionArgs");
}

TEST(Config, PluginsFromOutsideAreAccepted) {
  framework::Registry registry = plugins::BuiltIn();
  ASSERT_TRUE(registry.Add({.name = "Mine", .points = {framework::ExtensionPoint::kFilter}}));
  const std::string text = kHead +
                           "profiles: [{plugins: {multiPoint: {enabled: [{name: Mine}]}}, pluginConfig: "
                           "[{name: Mine, args: {b: 1, a: 2}}, {name: Other, args: {}}]}]";

  const auto loaded = Load(text, FeatureGates(), registry);

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ(ArgsOf<framework::OpaqueArgs>(loaded->profiles.front(), "Mine").json, R"({"a":2,"b":1})");
  EXPECT_EQ(loaded->profiles.front().plugin_config.size(), 9u);
}

TEST(Config, ExtendersHandTheirResourcesToNodeResourcesFit) {
  const auto loaded = LoadYaml(
      "extenders: [{urlPrefix: x, managedResources: [{name: a/b, ignoredByScheduler: true}, {name: a/c}]}]\n"
      "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [q/r]}}]}]");

  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_THAT(ArgsOf<plugins::NodeResourcesFit::Args>(loaded->profiles.front(), "NodeResourcesFit").ignored_resources,
              ElementsAre("a/b"));
}

}  // namespace
}  // namespace berth::config
