// SPDX-License-Identifier: Apache-2.0
#include "config/legacy_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/config.h"
#include "config/decode.h"
#include "config/decode_fields.h"
#include "config/defaults.h"
#include "config/validate.h"

namespace berth::config {

using framework::Field;
using framework::FieldErrors;
using framework::Into;
using framework::StrictDecoder;

// These are found by the type of what they read, so they cannot be in a namespace without name.
static void Decode(StrictDecoder& decoder, api::Value value, PolicyFile& out) {
  static constexpr Field<PolicyFile> kFields[] = {Into<&PolicyFile::path>("path")};
  decoder.Object<PolicyFile>(value, out, kFields);
}

static void Decode(StrictDecoder& decoder, api::Value value, PolicyConfigMap& out) {
  static constexpr Field<PolicyConfigMap> kFields[] = {
      Into<&PolicyConfigMap::ns>("namespace"),
      Into<&PolicyConfigMap::name>("name"),
  };
  decoder.Object<PolicyConfigMap>(value, out, kFields);
}

namespace {

using framework::SchedulerConfiguration;

struct PolicySourceDraft {
  std::optional<PolicyFile> file;
  std::optional<PolicyConfigMap> config_map;
};
struct SourceDraft {
  std::optional<PolicySourceDraft> policy;
  std::optional<std::string> provider;
};
struct LockDraft {
  std::string ns;
  std::string name;
};
struct LegacyDraft {
  SchedulerConfiguration configuration;
  LockDraft lock;
  SourceDraft source;
  std::string scheduler_name;
  int32_t hard_pod_affinity_weight = 0;
  bool disable_preemption = false;
  std::optional<int64_t> bind_timeout_seconds;
  std::string healthz_address;
  std::string metrics_address;
  api::Value plugins;
  api::Value plugin_config;
};

template <auto kMember>
constexpr Field<LegacyDraft> InLegacy(std::string_view name) {
  return {name, [](StrictDecoder& decoder, api::Value value, LegacyDraft& out) {
            Decode(decoder, value, out.configuration.*kMember);
          }};
}

void Decode(StrictDecoder& decoder, api::Value value, PolicySourceDraft& out) {
  static constexpr Field<PolicySourceDraft> kFields[] = {
      Into<&PolicySourceDraft::file>("file"),
      Into<&PolicySourceDraft::config_map>("configMap"),
  };
  decoder.Object<PolicySourceDraft>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, SourceDraft& out) {
  static constexpr Field<SourceDraft> kFields[] = {
      Into<&SourceDraft::policy>("policy"),
      Into<&SourceDraft::provider>("provider"),
  };
  decoder.Object<SourceDraft>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, LockDraft& out) {
  static constexpr Field<LockDraft> kFields[] = {
      Into<&LockDraft::ns>("lockObjectNamespace"),
      Into<&LockDraft::name>("lockObjectName"),
  };
  decoder.Object<LockDraft>(value, out, kFields);
}

// The lock's names stand among the other fields.
void DecodeLeaderElection(StrictDecoder& decoder, api::Value value, LegacyDraft& out) {
  Decode(decoder, value, out.configuration.leader_election);
  Decode(decoder, value, out.lock);
}

void Decode(StrictDecoder& decoder, api::Value value, LegacyDraft& out) {
  static constexpr Field<LegacyDraft> kFields[] = {
      Into<&LegacyDraft::scheduler_name>("schedulerName"),
      Into<&LegacyDraft::source>("algorithmSource"),
      Into<&LegacyDraft::hard_pod_affinity_weight>("hardPodAffinitySymmetricWeight"),
      {"leaderElection", DecodeLeaderElection},
      InLegacy<&SchedulerConfiguration::client_connection>("clientConnection"),
      Into<&LegacyDraft::healthz_address>("healthzBindAddress"),
      Into<&LegacyDraft::metrics_address>("metricsBindAddress"),
      InLegacy<&SchedulerConfiguration::enable_profiling>("enableProfiling"),
      InLegacy<&SchedulerConfiguration::enable_contention_profiling>("enableContentionProfiling"),
      Into<&LegacyDraft::disable_preemption>("disablePreemption"),
      InLegacy<&SchedulerConfiguration::percentage_of_nodes_to_score>("percentageOfNodesToScore"),
      Into<&LegacyDraft::bind_timeout_seconds>("bindTimeoutSeconds"),
      Into<&LegacyDraft::plugins>("plugins"),
      Into<&LegacyDraft::plugin_config>("pluginConfig"),
  };
  decoder.Object<LegacyDraft>(value, out, kFields);
}

bool IsLegacy(const TypeIdentity& identity) {
  return identity.kind == "KubeSchedulerConfiguration" &&
         fmt::format("{}/{}", identity.group, identity.version) == kLegacyApiVersion;
}

// A provider wins over a policy, and a policy that names no place is an empty one, which the default provider equals.
AlgorithmSource SourceOf(SourceDraft draft) {
  if (draft.provider && !draft.provider->empty()) return AlgorithmProvider{std::move(*draft.provider)};
  if (draft.policy && draft.policy->file) return std::move(*draft.policy->file);
  if (!draft.policy || !draft.policy->config_map) return AlgorithmProvider{kDefaultProvider};
  PolicyConfigMap& map = *draft.policy->config_map;
  if (map.ns.empty()) map.ns = "kube-system";
  return std::move(map);
}

Result<void> ValidateLegacy(const LegacyConfiguration& loaded, const framework::FeatureGates& gates) {
  FieldErrors errors = Validate(loaded.configuration, gates);
  const int32_t weight = loaded.hard_pod_affinity_weight;
  if (weight < 0 || weight > 100) {
    errors.Invalid("hardPodAffinitySymmetricWeight", weight, "not in valid range 0-100");
  }
  if (std::optional<Error> error = errors.Join()) return std::unexpected(std::move(*error));
  return {};
}

Result<LegacyDraft> DecodeLegacy(const Source& source) {
  StrictDecoder decoder(source.format);
  LegacyDraft draft;
  draft.configuration.leader_election.resource_name.clear();
  draft.configuration.leader_election.resource_namespace.clear();
  draft.configuration.enable_profiling = false;
  draft.configuration.enable_contention_profiling = false;
  Decode(decoder, source.document.root(), draft);
  if (decoder.mismatch()) return Invalid(*decoder.mismatch());
  if (draft.plugins.size() != 0 || draft.plugin_config.size() != 0) {
    return Invalid(fmt::format("plugins and pluginConfig of {} are not supported: v1.16 had no plugins of its own",
                               kLegacyApiVersion));
  }
  return draft;
}

}  // namespace

bool IsLegacyConfiguration(std::string_view yaml_or_json) {
  const Result<Source> source = ParseSource(yaml_or_json);
  if (!source) return false;
  const Result<TypeIdentity> identity = ReadTypeIdentity(source->document.root(), source->format, {});
  return identity && IsLegacy(*identity);
}

Result<LegacyConfiguration> LoadLegacy(std::string_view yaml_or_json, const framework::FeatureGates& gates) {
  const Source source = BERTH_TRY(ParseSource(yaml_or_json));
  LegacyDraft draft = BERTH_TRY(DecodeLegacy(source));
  framework::LeaderElectionConfiguration& election = draft.configuration.leader_election;
  if (!draft.lock.ns.empty()) election.resource_namespace = draft.lock.ns;
  if (!draft.lock.name.empty()) election.resource_name = draft.lock.name;

  LegacyConfiguration loaded;
  loaded.configuration = std::move(draft.configuration);
  ApplyDefaults(loaded.configuration, gates, plugins::BuiltIn());
  loaded.configuration.profiles = Default(gates).profiles;
  loaded.source = SourceOf(std::move(draft.source));
  if (!draft.scheduler_name.empty()) loaded.scheduler_name = std::move(draft.scheduler_name);
  if (draft.hard_pod_affinity_weight != 0) loaded.hard_pod_affinity_weight = draft.hard_pod_affinity_weight;
  loaded.disable_preemption = draft.disable_preemption;
  loaded.bind_timeout_seconds = draft.bind_timeout_seconds.value_or(loaded.bind_timeout_seconds);
  for (const std::string* address : {&draft.healthz_address, &draft.metrics_address}) {
    if (address->empty()) continue;
    if (std::ranges::find(loaded.plain_addresses, *address) != loaded.plain_addresses.end()) continue;
    loaded.plain_addresses.push_back(*address);
  }
  BERTH_CHECK_OK(ValidateLegacy(loaded, gates));
  return loaded;
}

}  // namespace berth::config
