// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "config/base64.h"
#include "config/config.h"
#include "config/decode.h"

namespace berth::config {

using framework::ClientConnectionConfiguration;
using framework::ExtenderConfiguration;
using framework::ExtenderManagedResource;
using framework::ExtenderTlsConfig;
using framework::ExtensionPoint;
using framework::LeaderElectionConfiguration;
using framework::PluginReference;
using framework::Plugins;
using framework::PluginSet;
using framework::SchedulerConfiguration;

namespace {

// A profile whose plugin arguments are not decoded yet.
struct PluginConfigDraft {
  std::string name;
  api::Value args;
};
struct ProfileDraft {
  std::optional<std::string> scheduler_name;
  std::optional<int32_t> percentage_of_nodes_to_score;
  Plugins plugins;
  std::vector<PluginConfigDraft> plugin_config;
};
struct Draft {
  SchedulerConfiguration configuration;
  std::optional<bool> enable_contention_profiling;
  std::vector<ProfileDraft> profiles;
};

// The field `name` of the part `kPart` of the draft.
template <auto kMember>
constexpr Field<Draft> InConfiguration(std::string_view name) {
  return {name, [](StrictDecoder& decoder, api::Value value, Draft& out) {
            Decode(decoder, value, out.configuration.*kMember);
          }};
}

template <ExtensionPoint kPoint>
constexpr Field<Plugins> AtPoint() {
  return {framework::NamesOf(kPoint).config,
          [](StrictDecoder& decoder, api::Value value, Plugins& out) { Decode(decoder, value, out[kPoint]); }};
}

template <std::string ExtenderTlsConfig::* kMember>
constexpr Field<ExtenderTlsConfig> Bytes(std::string_view name) {
  return {name, [](StrictDecoder& decoder, api::Value value, ExtenderTlsConfig& out) {
            std::string text;
            Decode(decoder, value, text);
            std::optional<std::string> bytes = DecodeBase64(text);
            if (!bytes) return decoder.Mismatch(value, "base64");
            out.*kMember = std::move(*bytes);
          }};
}

}  // namespace

void Decode(StrictDecoder& decoder, api::Value value, LeaderElectionConfiguration& out) {
  using Config = LeaderElectionConfiguration;
  static constexpr Field<Config> kFields[] = {
      Into<&Config::leader_elect>("leaderElect"),
      Into<&Config::lease_duration>("leaseDuration"),
      Into<&Config::renew_deadline>("renewDeadline"),
      Into<&Config::retry_period>("retryPeriod"),
      Into<&Config::resource_lock>("resourceLock"),
      Into<&Config::resource_name>("resourceName"),
      Into<&Config::resource_namespace>("resourceNamespace"),
  };
  decoder.Object<Config>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ClientConnectionConfiguration& out) {
  using Config = ClientConnectionConfiguration;
  static constexpr Field<Config> kFields[] = {
      Into<&Config::kubeconfig>("kubeconfig"),
      Into<&Config::accept_content_types>("acceptContentTypes"),
      Into<&Config::content_type>("contentType"),
      Into<&Config::qps>("qps"),
      Into<&Config::burst>("burst"),
  };
  decoder.Object<Config>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, PluginReference& out) {
  static constexpr Field<PluginReference> kFields[] = {
      Into<&PluginReference::name>("name"),
      Into<&PluginReference::weight>("weight"),
  };
  decoder.Object<PluginReference>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, PluginSet& out) {
  static constexpr Field<PluginSet> kFields[] = {
      Into<&PluginSet::enabled>("enabled"),
      Into<&PluginSet::disabled>("disabled"),
  };
  decoder.Object<PluginSet>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, Plugins& out) {
  static constexpr auto kFields = []<size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::array{AtPoint<static_cast<ExtensionPoint>(kIndex)>()..., Into<&Plugins::multi_point>("multiPoint")};
  }(std::make_index_sequence<framework::kExtensionPointCount>());
  decoder.Object<Plugins>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ExtenderTlsConfig& out) {
  static constexpr Field<ExtenderTlsConfig> kFields[] = {
      Into<&ExtenderTlsConfig::insecure>("insecure"),  Into<&ExtenderTlsConfig::server_name>("serverName"),
      Into<&ExtenderTlsConfig::cert_file>("certFile"), Into<&ExtenderTlsConfig::key_file>("keyFile"),
      Into<&ExtenderTlsConfig::ca_file>("caFile"),     Bytes<&ExtenderTlsConfig::cert_data>("certData"),
      Bytes<&ExtenderTlsConfig::key_data>("keyData"),  Bytes<&ExtenderTlsConfig::ca_data>("caData"),
  };
  decoder.Object<ExtenderTlsConfig>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ExtenderManagedResource& out) {
  static constexpr Field<ExtenderManagedResource> kFields[] = {
      Into<&ExtenderManagedResource::name>("name"),
      Into<&ExtenderManagedResource::ignored_by_scheduler>("ignoredByScheduler"),
  };
  decoder.Object<ExtenderManagedResource>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ExtenderConfiguration& out) {
  using Config = ExtenderConfiguration;
  static constexpr Field<Config> kFields[] = {
      Into<&Config::url_prefix>("urlPrefix"),
      Into<&Config::filter_verb>("filterVerb"),
      Into<&Config::preempt_verb>("preemptVerb"),
      Into<&Config::prioritize_verb>("prioritizeVerb"),
      Into<&Config::weight>("weight"),
      Into<&Config::bind_verb>("bindVerb"),
      Into<&Config::enable_https>("enableHTTPS"),
      Into<&Config::tls_config>("tlsConfig"),
      Into<&Config::http_timeout>("httpTimeout"),
      Into<&Config::node_cache_capable>("nodeCacheCapable"),
      Into<&Config::managed_resources>("managedResources"),
      Into<&Config::ignorable>("ignorable"),
  };
  decoder.Object<Config>(value, out, kFields);
}

namespace {

void Decode(StrictDecoder&, api::Value value, api::Value& out) { out = value; }

void Decode(StrictDecoder& decoder, api::Value value, PluginConfigDraft& out) {
  static constexpr Field<PluginConfigDraft> kFields[] = {
      Into<&PluginConfigDraft::name>("name"),
      Into<&PluginConfigDraft::args>("args"),
  };
  decoder.Object<PluginConfigDraft>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, ProfileDraft& out) {
  static constexpr Field<ProfileDraft> kFields[] = {
      Into<&ProfileDraft::scheduler_name>("schedulerName"),
      Into<&ProfileDraft::percentage_of_nodes_to_score>("percentageOfNodesToScore"),
      Into<&ProfileDraft::plugins>("plugins"),
      Into<&ProfileDraft::plugin_config>("pluginConfig"),
  };
  decoder.Object<ProfileDraft>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, Draft& out) {
  static constexpr Field<Draft> kFields[] = {
      IgnoredString<Draft>("kind"),
      IgnoredString<Draft>("apiVersion"),
      InConfiguration<&SchedulerConfiguration::parallelism>("parallelism"),
      InConfiguration<&SchedulerConfiguration::leader_election>("leaderElection"),
      InConfiguration<&SchedulerConfiguration::client_connection>("clientConnection"),
      InConfiguration<&SchedulerConfiguration::enable_profiling>("enableProfiling"),
      Into<&Draft::enable_contention_profiling>("enableContentionProfiling"),
      InConfiguration<&SchedulerConfiguration::percentage_of_nodes_to_score>("percentageOfNodesToScore"),
      InConfiguration<&SchedulerConfiguration::pod_initial_backoff_seconds>("podInitialBackoffSeconds"),
      InConfiguration<&SchedulerConfiguration::pod_max_backoff_seconds>("podMaxBackoffSeconds"),
      Into<&Draft::profiles>("profiles"),
      InConfiguration<&SchedulerConfiguration::extenders>("extenders"),
      InConfiguration<&SchedulerConfiguration::delay_cache_until_active>("delayCacheUntilActive"),
  };
  decoder.Object<Draft>(value, out, kFields);
}

// Repeated keys, which the conversion of YAML to JSON would hide.
void FindRepeatedKeys(api::Value value, std::vector<std::string>& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value.is_map() && !seen.insert(value.key(i)).second) {
      errors.push_back(fmt::format("line {}: key \"{}\" already set in map", value[i].line(), value.key(i)));
    }
    FindRepeatedKeys(value[i], errors);
  }
}

Result<api::Document> Parse(std::string_view text, SourceFormat format) {
  if (format == SourceFormat::kJson) return api::ParseJson(text);
  std::vector<api::Document> documents = BERTH_TRY(api::ParseYaml(text));
  if (documents.empty()) return api::Document();
  return std::move(documents.front());
}

std::unexpected<Error> StrictError(const std::vector<std::string>& errors) {
  return Invalid(fmt::format("strict decoding error: {}", fmt::join(errors, ", ")));
}

// Decodes the plugin arguments of all profiles. A wrong kind or type ends it; strict errors are collected.
Result<std::vector<framework::ProfileConfiguration>> FinishProfiles(std::vector<ProfileDraft> drafts,
                                                                    SourceFormat format,
                                                                    std::vector<std::string>& strict_errors) {
  if (drafts.empty()) drafts.emplace_back();
  if (drafts.size() == 1 && !drafts.front().scheduler_name) drafts.front().scheduler_name = "default-scheduler";
  std::vector<framework::ProfileConfiguration> profiles;
  for (ProfileDraft& draft : drafts) {
    framework::ProfileConfiguration& profile = profiles.emplace_back();
    profile.scheduler_name = draft.scheduler_name.value_or("");
    profile.percentage_of_nodes_to_score = draft.percentage_of_nodes_to_score;
    profile.plugins = std::move(draft.plugins);
    for (const PluginConfigDraft& entry : draft.plugin_config) {
      const std::string where =
          fmt::format("decoding .profiles[{}].pluginConfig[{}]", profiles.size() - 1, profile.plugin_config.size());
      std::vector<std::string> found;
      Result<framework::PluginArgs> args = DecodeArgs(entry.name, entry.args, format, found);
      if (!args) return Invalid(fmt::format("{}: {}", where, args.error().message));
      if (!found.empty()) {
        strict_errors.push_back(
            fmt::format("{}: strict decoding error: decoding args for plugin {}: strict decoding error: {}", where,
                        entry.name, fmt::join(found, ", ")));
      }
      profile.plugin_config.push_back({entry.name, std::move(*args)});
    }
  }
  return profiles;
}

Result<void> CheckTypeOfDocument(api::Value root, std::string_view text) {
  const TypeIdentity identity = BERTH_TRY(ReadTypeIdentity(root, {}));
  if (identity.kind.empty()) return Invalid(fmt::format("Object 'Kind' is missing in '{}'", text));
  if (identity.version.empty()) return Invalid(fmt::format("Object 'apiVersion' is missing in '{}'", text));
  BERTH_CHECK_OK(CheckRegistered(identity));
  if (identity.kind != "KubeSchedulerConfiguration") {
    return Invalid(
        fmt::format("couldn't decode as KubeSchedulerConfiguration, got {}, Kind={}: ", kApiVersion, identity.kind));
  }
  return {};
}

}  // namespace

Result<SchedulerConfiguration> DecodeConfiguration(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n\v\f");
  const SourceFormat format =
      first != std::string_view::npos && text[first] == '{' ? SourceFormat::kJson : SourceFormat::kYaml;
  const api::Document document = BERTH_TRY(Parse(text, format));
  BERTH_CHECK_OK(CheckTypeOfDocument(document.root(), text));

  StrictDecoder decoder(format);
  Draft draft;
  Decode(decoder, document.root(), draft);
  if (decoder.mismatch()) return Invalid(*decoder.mismatch());

  std::vector<std::string> strict_errors;
  if (format == SourceFormat::kYaml) FindRepeatedKeys(document.root(), strict_errors);
  strict_errors.insert(strict_errors.end(), decoder.strict_errors().begin(), decoder.strict_errors().end());
  draft.configuration.profiles = BERTH_TRY(FinishProfiles(std::move(draft.profiles), format, strict_errors));
  if (!strict_errors.empty()) return StrictError(strict_errors);

  draft.configuration.enable_contention_profiling =
      draft.enable_contention_profiling.value_or(draft.configuration.enable_profiling);
  return std::move(draft.configuration);
}

}  // namespace berth::config
