// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "config/policy/policy_v122.h"
#include "conformance/kinds.h"
#include "conformance/policy_record.h"
#include "conformance/policy_v116.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

namespace berth::conformance {
namespace {

using api::JsonWriter;
using api::Value;
using framework::ExtensionPoint;
using framework::SchedulerConfiguration;

// The configuration that the record's source yields, or the error with which the command would end.
Result<SchedulerConfiguration> Configure(Value record, const config::PolicyOptions& options) {
  const framework::FeatureGates gates;
  if (record["source"].text() == "provider")
    return config::TranslateProvider(record["provider"].text(), options, gates);
  const config::Policy policy = BERTH_TRY(ReadPolicy(record, options.compat));
  return config::TranslatePolicy(policy, options, gates);
}

void WritePlugins(const framework::Plugins& plugins, JsonWriter& json) {
  json.BeginObject();
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    if (plugins[point].enabled.empty()) continue;
    json.Key(framework::NamesOf(point).config).BeginArray();
    for (const framework::PluginReference& plugin : plugins[point].enabled) {
      json.BeginObject().Key("name").String(plugin.name);
      if (point == ExtensionPoint::kScore) json.Key("weight").Int(plugin.weight);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

// Arguments without the members that are newer than the release.
void WriteArgs(const framework::PluginConfig& plugin, config::PolicyCompat compat, JsonWriter& json) {
  const Result<api::Document> document = api::ParseJson(plugin.args.Json());
  std::set<std::string_view> newer = {"kind", "apiVersion"};
  if (compat == config::PolicyCompat::kV121) newer.insert("scoringStrategy");
  if (plugin.name == "VolumeBinding") newer.insert("shape");
  json.Key(plugin.name).BeginObject();
  const Value args = document->root();
  for (size_t i = 0; i < args.size(); ++i) {
    if (!newer.contains(args.key(i))) json.Key(args.key(i)).Raw(args[i].ToJson());
  }
  json.EndObject();
}

// What the client makes of the settings; nothing if they are the default.
void WriteTls(const framework::ExtenderConfiguration& extender, JsonWriter& json) {
  const framework::ExtenderTlsConfig tls = extender.tls_config.value_or(framework::ExtenderTlsConfig());
  const bool has_ca = !tls.ca_file.empty() || !tls.ca_data.empty();
  const bool has_certificate = !tls.cert_file.empty() || !tls.cert_data.empty();
  const bool has_key = !tls.key_file.empty() || !tls.key_data.empty();
  const bool is_insecure = tls.insecure || (extender.enable_https && !has_ca);
  const bool shows_certificate = has_certificate && has_key;
  if (!is_insecure && tls.server_name.empty() && !shows_certificate && !has_ca) return;
  json.Key("tls").BeginObject();
  json.Key("insecureSkipVerify").Bool(is_insecure);
  json.Text("serverName", tls.server_name);
  json.Key("clientCert").Bool(shows_certificate);
  json.Key("customCA").Bool(has_ca);
  json.EndObject();
}

void WriteExtender(const framework::ExtenderConfiguration& extender, JsonWriter& json) {
  json.BeginObject();
  json.Key("urlPrefix").String(extender.url_prefix);
  json.Text("filterVerb", extender.filter_verb);
  json.Text("preemptVerb", extender.preempt_verb);
  json.Text("prioritizeVerb", extender.prioritize_verb);
  json.Text("bindVerb", extender.bind_verb);
  json.Key("weight").Int(extender.weight);
  json.Key("timeoutNanoseconds").Int(extender.http_timeout.nanos);
  json.Key("nodeCacheCapable").Bool(extender.node_cache_capable);
  json.Key("ignorable").Bool(extender.ignorable);
  std::set<std::string> managed;
  for (const framework::ExtenderManagedResource& resource : extender.managed_resources) managed.insert(resource.name);
  json.Key("managedResources").BeginArray();
  for (const std::string& name : managed) json.String(name);
  json.EndArray();
  WriteTls(extender, json);
  json.EndObject();
}

void WriteProfile(const framework::ProfileConfiguration& profile, config::PolicyCompat compat, JsonWriter& json) {
  json.BeginObject();
  json.Key("schedulerName").String(profile.scheduler_name);
  WritePlugins(profile.plugins, json.Key("plugins"));
  json.Key("pluginConfig").BeginObject();
  for (const framework::PluginConfig& plugin : profile.plugin_config) {
    const bool has_args = compat == config::PolicyCompat::kV122 || plugin.name != "NodeResourcesBalancedAllocation";
    if (has_args) WriteArgs(plugin, compat, json);
  }
  json.EndObject().EndObject();
}

void WriteConfiguration(const SchedulerConfiguration& configuration, config::PolicyCompat compat, JsonWriter& json) {
  json.Key("profiles").BeginArray();
  for (const framework::ProfileConfiguration& profile : configuration.profiles) WriteProfile(profile, compat, json);
  json.EndArray();
  const framework::ProfileConfiguration& profile = configuration.profiles.front();
  json.Key("runAllFilters").Bool(profile.run_all_filters);
  for (const framework::PluginConfig& plugin : profile.plugin_config) {
    const auto* affinity = plugin.args.As<plugins::InterPodAffinity::Args>();
    if (affinity != nullptr) json.Key("hardPodAffinityWeight").Int(affinity->hard_pod_affinity_weight);
  }
  json.Key("extenders").BeginArray();
  for (const framework::ExtenderConfiguration& extender : configuration.extenders) WriteExtender(extender, json);
  json.EndArray();
}

}  // namespace

void RunPolicy(Value record, JsonWriter& results) {
  const std::string_view version = record["version"].text();
  if (version.starts_with("v1.16.")) {
    return record["objects"].is_null() ? RunPolicyV116(record, results) : RunDecisionV116(record, results);
  }
  config::PolicyOptions options;
  options.compat = version.starts_with("v1.21.") ? config::PolicyCompat::kV121 : config::PolicyCompat::kV122;
  options.check_extender = [&](const framework::ExtenderConfiguration& extender) {
    return CheckCertificates(extender, options.compat);
  };
  const Result<SchedulerConfiguration> configuration = Configure(record, options);
  results.BeginObject();
  if (configuration) {
    WriteConfiguration(*configuration, options.compat, results);
  } else {
    results.Key("error").String(configuration.error().message);
  }
  results.EndObject();
}

}  // namespace berth::conformance
