// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/document/repeated_keys.h"
#include "base/text.h"
#include "config/config.h"
#include "config/decode.h"
#include "config/decode_fields.h"

namespace berth::config {

using framework::Field;
using framework::IgnoredString;
using framework::Into;
using framework::Plugins;
using framework::SchedulerConfiguration;
using framework::SourceFormat;
using framework::StrictDecoder;

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

// The field `name` that is read into `kMember` of the configuration itself.
template <auto kMember>
constexpr Field<Draft> InConfiguration(std::string_view name) {
  return {name, [](StrictDecoder& decoder, api::Value value, Draft& out) {
            Decode(decoder, value, out.configuration.*kMember);
          }};
}

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

Error StrictError(const std::vector<std::string>& errors) {
  return {Code::kInvalid, fmt::format("strict decoding error: {}", fmt::join(errors, ", "))};
}

// Decodes the plugin arguments of all profiles. A wrong kind or type ends it; strict errors are collected.
Result<std::vector<framework::ProfileConfiguration>> FinishProfiles(std::vector<ProfileDraft> drafts,
                                                                    SourceFormat format,
                                                                    const framework::Registry& registry,
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
      Result<framework::PluginArgs> args = DecodeArgs(entry.name, entry.args, format, registry, found);
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

// Plugin arguments as a document of their own: upstream decodes them and only then finds that they are no
// configuration.
Error NotAConfiguration(const TypeIdentity& identity, api::Value root, SourceFormat format,
                        const framework::Registry& registry) {
  std::string_view plugin = identity.kind;
  plugin.remove_suffix(std::string_view("Args").size());
  std::vector<std::string> strict_errors;
  const Result<framework::PluginArgs> args = DecodeArgs(plugin, root, format, registry, strict_errors);
  if (!args) return args.error();
  if (!strict_errors.empty()) return StrictError(strict_errors);
  return {Code::kInvalid,
          fmt::format("couldn't decode as KubeSchedulerConfiguration, got {}, Kind={}: ", kApiVersion, identity.kind)};
}

Result<void> CheckTypeOfDocument(api::Value root, SourceFormat format, std::string_view text,
                                 const framework::Registry& registry) {
  const TypeIdentity identity = BERTH_TRY(ReadTypeIdentity(root, format, {}));
  if (identity.kind.empty()) return Invalid(fmt::format("Object 'Kind' is missing in '{}'", text));
  if (identity.version.empty()) return Invalid(fmt::format("Object 'apiVersion' is missing in '{}'", text));
  BERTH_CHECK_OK(CheckRegistered(identity, registry));
  if (identity.kind == "KubeSchedulerConfiguration") return {};
  return std::unexpected(NotAConfiguration(identity, root, format, registry));
}

}  // namespace

Result<Source> ParseSource(std::string_view text) {
  Source source;
  if (Trim(text).starts_with('{')) {
    source.format = SourceFormat::kJson;
    source.document = BERTH_TRY(api::ParseJson(text));
    return source;
  }
  std::vector<api::Document> documents = BERTH_TRY(api::ParseYaml(text));
  if (!documents.empty()) source.document = std::move(documents.front());
  return source;
}

Result<SchedulerConfiguration> DecodeConfiguration(std::string_view text, const framework::Registry& registry) {
  const Source source = BERTH_TRY(ParseSource(text));
  const SourceFormat format = source.format;
  BERTH_CHECK_OK(CheckTypeOfDocument(source.document.root(), format, text, registry));

  StrictDecoder decoder(format);
  Draft draft;
  Decode(decoder, source.document.root(), draft);
  if (decoder.mismatch()) return Invalid(*decoder.mismatch());

  std::vector<std::string> strict_errors;
  if (format == SourceFormat::kYaml) api::FindRepeatedKeys(source.document.root(), strict_errors);
  strict_errors.insert(strict_errors.end(), decoder.strict_errors().begin(), decoder.strict_errors().end());
  draft.configuration.profiles = BERTH_TRY(FinishProfiles(std::move(draft.profiles), format, registry, strict_errors));
  if (!strict_errors.empty()) return std::unexpected(StrictError(strict_errors));

  draft.configuration.enable_contention_profiling =
      draft.enable_contention_profiling.value_or(draft.configuration.enable_profiling);
  return std::move(draft.configuration);
}

}  // namespace berth::config
