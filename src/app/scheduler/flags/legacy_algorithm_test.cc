// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/legacy_algorithm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/scheduler/flags/complete.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/legacy/volume_count_limits.h"

namespace berth::scheduler_app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kConfig = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
constexpr std::string_view kAlphaConfig =
    "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n";

// A command line with its files, which are named {NAME} in it.
class CommandLine {
 public:
  CommandLine() {
    std::string name = std::filesystem::temp_directory_path() / "berth-legacy-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~CommandLine() { std::filesystem::remove_all(directory_); }
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CommandLine& File(const std::string& name, std::string_view text) {
    std::ofstream(Path(name)) << text;
    return *this;
  }
  std::string Path(const std::string& name) const { return directory_ / name; }

  Result<Options> Complete(std::vector<std::string> arguments) const {
    for (std::string& argument : arguments) {
      const size_t begin = argument.find('{');
      if (begin == std::string::npos) continue;
      const size_t end = argument.find('}');
      argument.replace(begin, end + 1 - begin, Path(argument.substr(begin + 1, end - begin - 1)));
    }
    FlagValues values;
    FlagSet flags;
    DefineFlags(flags, values);
    BERTH_TRY(flags.Parse(arguments));
    const EffectiveVersion version = BERTH_TRY(ResolveVersions({}, {}));
    const GateSettings gates = BERTH_TRY(ResolveGates(values.gates, version));
    BERTH_CHECK_OK(ValidateFlags(values, version, gates));
    return CompleteOptions(flags, values, version, gates);
  }
  Options Completed(const std::vector<std::string>& arguments) const {
    Result<Options> options = Complete(arguments);
    EXPECT_TRUE(options.has_value()) << options.error().message;
    return options ? *std::move(options) : Options();
  }
  std::string ErrorOf(const std::vector<std::string>& arguments) const {
    const Result<Options> options = Complete(arguments);
    return options ? "" : options.error().message;
  }

 private:
  std::filesystem::path directory_;
};

const framework::ProfileConfiguration& ProfileOf(const Options& options) {
  EXPECT_EQ(options.configuration.profiles.size(), 1U);
  return options.configuration.profiles.front();
}

bool Filters(const Options& options, std::string_view plugin) {
  return std::ranges::any_of(ProfileOf(options).plugins[framework::ExtensionPoint::kFilter].enabled,
                             [&](const framework::PluginReference& reference) { return reference.name == plugin; });
}

TEST(LegacyAlgorithm, SourcesHaveThePrecedenceOfTheirTime) {
  LegacyFlags flags;
  EXPECT_EQ(SourceOf(flags), config::AlgorithmSource());
  flags.algorithm_provider = "P";
  EXPECT_EQ(SourceOf(flags), config::AlgorithmSource(config::AlgorithmProvider{"P"}));
  flags.policy_config_file = "/f";
  EXPECT_EQ(SourceOf(flags), config::AlgorithmSource(config::PolicyFile{"/f"}));
  flags.policy_config_map = "m";
  EXPECT_EQ(SourceOf(flags), config::AlgorithmSource(config::PolicyConfigMap{"kube-system", "m"}));
  flags.policy_config_map_namespace = "n";
  EXPECT_EQ(SourceOf(flags), config::AlgorithmSource(config::PolicyConfigMap{"n", "m"}));
  flags.use_legacy_policy_config = true;
  EXPECT_EQ(SourceOf(flags), config::AlgorithmSource(config::PolicyFile{"/f"}));
}

TEST(LegacyAlgorithm, FlagsAreChecked) {
  const CommandLine line;
  EXPECT_EQ(line.ErrorOf({"--use-legacy-policy-config"}),
            "policyConfigFile: Required value: required when --use-legacy-policy-config is true");
  EXPECT_EQ(line.ErrorOf({"--hard-pod-affinity-symmetric-weight=101"}),
            "hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range [0-100]");
  EXPECT_EQ(line.ErrorOf({"--port=65536"}),
            "--port 65536 must be between 0 and 65535, inclusive. 0 for turning off insecure (HTTP) port");
  EXPECT_THAT(line.ErrorOf({"--policy-compat=v1.20"}),
              StartsWith("invalid argument \"v1.20\" for \"--policy-compat\""));
  EXPECT_THAT(line.ErrorOf({"--log-file=/x"}), HasSubstr("standard error"));
}

TEST(LegacyAlgorithm, FlagsOfTheTimeWork) {
  const CommandLine line;

  const Options options = line.Completed({"--scheduler-name=mine", "--hard-pod-affinity-symmetric-weight=9",
                                          "--lock-object-name=lock", "--lock-object-namespace=ns",
                                          "--address=127.0.0.1", "--port=10251", "--logtostderr", "--alsologtostderr"});

  EXPECT_FALSE(options.legacy.in_force());
  EXPECT_EQ(ProfileOf(options).scheduler_name, "mine");
  EXPECT_EQ(options.configuration.leader_election.resource_name, "lock");
  EXPECT_EQ(options.configuration.leader_election.resource_namespace, "ns");
  EXPECT_EQ(options.plain_serving, (std::vector<PlainServing>{{"127.0.0.1", 10251}}));
  const auto args =
      std::ranges::find(ProfileOf(options).plugin_config, "InterPodAffinity", &framework::PluginConfig::name);
  ASSERT_NE(args, ProfileOf(options).plugin_config.end());
  EXPECT_EQ(args->args.As<plugins::InterPodAffinity::Args>()->hard_pod_affinity_weight, 9);
}

TEST(LegacyAlgorithm, PolicyFileTakesThePlaceOfTheProfile) {
  CommandLine line;
  line.File(
      "policy",
      R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"HostName"}],"priorities":[],"alwaysCheckAllPredicates":true,
                          "extenders":[{"urlPrefix":"http://e/","filterVerb":"f"}]})");

  const Options options = line.Completed({"--policy-config-file={policy}", "--scheduler-name=mine"});

  EXPECT_TRUE(options.legacy.in_force());
  EXPECT_EQ(ProfileOf(options).scheduler_name, "mine");
  EXPECT_TRUE(ProfileOf(options).run_all_filters);
  EXPECT_TRUE(Filters(options, "NodeName"));
  EXPECT_FALSE(Filters(options, "NodeResourcesFit"));
  EXPECT_EQ(options.configuration.extenders.size(), 1U);
  EXPECT_TRUE(options.configuration.leader_election.leader_elect);
}

TEST(LegacyAlgorithm, ErrorsAboutPoliciesAreThoseOfUpstream) {
  CommandLine line;
  line.File("bad", "{");
  line.File("unknown", R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"Nonsense"}]})");
  EXPECT_EQ(line.ErrorOf({"--policy-config-file={none}"}), "missing policy config file " + line.Path("none"));
  EXPECT_THAT(line.ErrorOf({"--policy-config-file={}"}), StartsWith("couldn't read policy config: read "));
  EXPECT_THAT(line.ErrorOf({"--policy-config-file={bad}"}), StartsWith("invalid policy: "));
  EXPECT_EQ(line.ErrorOf({"--policy-config-file={unknown}"}),
            "couldn't create scheduler from policy: predicate type not found for \"Nonsense\"");
  EXPECT_THAT(line.ErrorOf({"--algorithm-provider=Nobody"}),
              StartsWith("couldn't create scheduler using provider \"Nobody\": "));
}

TEST(LegacyAlgorithm, ConfigMapIsLeftForLater) {
  const Options options = CommandLine().Completed({"--policy-configmap=m", "--policy-compat=v1.16"});

  EXPECT_EQ(options.legacy.source, config::AlgorithmSource(config::PolicyConfigMap{"kube-system", "m"}));
  EXPECT_EQ(options.legacy.policy.compat, config::PolicyCompat::kV116);
  EXPECT_TRUE(Filters(options, "NodeResourcesFit") || !ProfileOf(options).plugins.multi_point.enabled.empty());
}

TEST(LegacyAlgorithm, BesideAFileFlagsMeanWhatTheyDidInTheirRelease) {
  CommandLine line;
  line.File("plain", kConfig);
  line.File("named", std::string(kConfig) + "profiles: [{schedulerName: mine}]");
  line.File("own", std::string(kConfig) + "profiles: [{plugins: {score: {disabled: [{name: ImageLocality}]}}}]");
  line.File("policy", R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"HostName"}]})");
  const auto with = [](const std::string& file, const std::string& compat) {
    return std::vector<std::string>{"--config={" + file + "}", "--policy-config-file={policy}",
                                    "--policy-compat=" + compat, "--scheduler-name=ignored"};
  };

  EXPECT_FALSE(line.Completed(with("own", "v1.16")).legacy.in_force());
  EXPECT_TRUE(line.Completed(with("plain", "v1.21")).legacy.in_force());
  EXPECT_EQ(ProfileOf(line.Completed(with("named", "v1.21"))).scheduler_name, "mine");
  EXPECT_THAT(line.ErrorOf(with("own", "v1.21")), StartsWith("cannot set a Plugin config and Policy config"));
  EXPECT_EQ(ProfileOf(line.Completed(with("plain", "v1.22"))).scheduler_name, "default-scheduler");
  EXPECT_THAT(line.ErrorOf(with("named", "v1.22")), StartsWith("profiles and policy config both set"));
  EXPECT_THAT(line.ErrorOf(with("own", "v1.22")), StartsWith("profiles and policy config both set"));
}

TEST(LegacyAlgorithm, ConfigurationOfV1alpha1NeedsTheRelease) {
  CommandLine line;
  line.File("policy", R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"HostName"}],"priorities":[]})");
  line.File("alpha", std::string(kAlphaConfig) + "schedulerName: mine\ndisablePreemption: true\n" +
                         "healthzBindAddress: '[::1]:10251'\nmetricsBindAddress: 127.0.0.1:0\n" +
                         "algorithmSource: {policy: {file: {path: " + line.Path("policy") + "}}}");
  line.File("address", std::string(kAlphaConfig) + "healthzBindAddress: here");

  EXPECT_THAT(line.ErrorOf({"--config={alpha}"}), HasSubstr("only with --policy-compat=v1.16"));
  EXPECT_THAT(line.ErrorOf({"--config={alpha}", "--policy-compat=v1.22"}), HasSubstr("--policy-compat=v1.16"));
  EXPECT_THAT(line.ErrorOf({"--config={address}", "--policy-compat=v1.16"}),
              HasSubstr("\"here\" is not an IP address"));
  const Options options = line.Completed({"--config={alpha}", "--policy-compat=v1.16", "--policy-config-file=ignored"});
  EXPECT_EQ(ProfileOf(options).scheduler_name, "mine");
  EXPECT_TRUE(ProfileOf(options).plugins[framework::ExtensionPoint::kPostFilter].enabled.empty());
  EXPECT_EQ(options.plain_serving, (std::vector<PlainServing>{{"::1", 10251}}));
  EXPECT_EQ(options.configuration.extender_score_scale, 1);
}

TEST(LegacyAlgorithm, ReleaseDecidesHowLongPodsStayUnschedulableUnlessAFlagDoes) {
  CommandLine line;
  line.File("policy", "{}");
  const std::vector<std::string> old = {"--policy-config-file={policy}", "--policy-compat=v1.16"};
  EXPECT_EQ(line.Completed(old).configuration.pod_max_in_unschedulable, Seconds(60));
  EXPECT_EQ(line.Completed({"--policy-config-file={policy}"}).configuration.pod_max_in_unschedulable, Minutes(5));
  EXPECT_EQ(line.Completed({old[0], old[1], "--pod-max-in-unschedulable-pods-duration=7s"})
                .configuration.pod_max_in_unschedulable,
            Seconds(7));
  EXPECT_EQ(line.Completed({"--pod-max-in-unschedulable-pods-duration=7s"}).configuration.pod_max_in_unschedulable,
            Seconds(7));
}

TEST(LegacyAlgorithm, EnvironmentLimitsVolumesOfPoliciesOnly) {
  CommandLine line;
  line.File("policy",
            R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"MaxEBSVolumeCount"}],"priorities":[]})");
  const auto limit_of = [&](const std::string& value, const std::string& compat) {
    setenv("KUBE_MAX_PD_VOLS", value.c_str(), 1);
    const Options options = line.Completed({"--policy-config-file={policy}", "--policy-compat=" + compat});
    unsetenv("KUBE_MAX_PD_VOLS");
    for (const framework::PluginConfig& entry : ProfileOf(options).plugin_config) {
      const auto* args = entry.args.As<plugins::legacy::VolumeCountLimits::Args>();
      if (args != nullptr) return args->max_pd_volumes.value_or(-1);
    }
    return -1;
  };

  EXPECT_EQ(limit_of("7", "v1.22"), 7);
  EXPECT_EQ(limit_of("7", "v1.16"), 7);
  EXPECT_EQ(limit_of("seven", "v1.22"), -1);
  EXPECT_EQ(limit_of("0", "v1.21"), -1);
  EXPECT_EQ(limit_of("", "v1.21"), -1);
}

}  // namespace
}  // namespace berth::scheduler_app
