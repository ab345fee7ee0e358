// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "api/document/yaml_writer.h"
#include "base/assert.h"
#include "base/base64.h"
#include "config/config.h"

namespace berth::config {
namespace {

void WriteTrue(std::string_view name, bool value, api::JsonWriter& json) {
  if (value) json.Key(name).Bool(true);
}

// Prints the shortest digits that read back as the same 32-bit number.
void WriteFloat(float number, api::JsonWriter& json) {
  char text[64];
  const auto [end, error] = std::to_chars(std::begin(text), std::end(text), number, std::chars_format::scientific);
  BERTH_ASSERT(error == std::errc());
  double shortest = 0;
  std::from_chars(text, end, shortest);
  json.Double(shortest);
}

void WriteLeaderElection(const framework::LeaderElectionConfiguration& config, api::JsonWriter& json) {
  json.BeginObject();
  json.Key("leaderElect").Bool(config.leader_elect);
  json.Key("leaseDuration").String(FormatDuration(config.lease_duration));
  json.Key("renewDeadline").String(FormatDuration(config.renew_deadline));
  json.Key("retryPeriod").String(FormatDuration(config.retry_period));
  json.Key("resourceLock").String(config.resource_lock);
  json.Key("resourceName").String(config.resource_name);
  json.Key("resourceNamespace").String(config.resource_namespace);
  json.EndObject();
}

void WriteClientConnection(const framework::ClientConnectionConfiguration& config, api::JsonWriter& json) {
  json.BeginObject();
  json.Key("kubeconfig").String(config.kubeconfig);
  json.Key("acceptContentTypes").String(config.accept_content_types);
  json.Key("contentType").String(config.content_type);
  WriteFloat(config.qps, json.Key("qps"));
  json.Key("burst").Int(config.burst);
  json.EndObject();
}

void WriteTls(const framework::ExtenderTlsConfig& config, api::JsonWriter& json) {
  json.BeginObject();
  WriteTrue("insecure", config.insecure, json);
  json.Text("serverName", config.server_name);
  json.Text("certFile", config.cert_file);
  json.Text("keyFile", config.key_file);
  json.Text("caFile", config.ca_file);
  json.Text("certData", EncodeBase64(config.cert_data));
  json.Text("keyData", EncodeBase64(config.key_data));
  json.Text("caData", EncodeBase64(config.ca_data));
  json.EndObject();
}

void WriteExtender(const framework::ExtenderConfiguration& config, api::JsonWriter& json) {
  json.BeginObject();
  json.Key("urlPrefix").String(config.url_prefix);
  json.Text("filterVerb", config.filter_verb);
  json.Text("preemptVerb", config.preempt_verb);
  json.Text("prioritizeVerb", config.prioritize_verb);
  if (config.weight != 0) json.Key("weight").Int(config.weight);
  json.Text("bindVerb", config.bind_verb);
  WriteTrue("enableHTTPS", config.enable_https, json);
  if (config.tls_config) WriteTls(*config.tls_config, json.Key("tlsConfig"));
  json.Key("httpTimeout").String(FormatDuration(config.http_timeout));
  WriteTrue("nodeCacheCapable", config.node_cache_capable, json);
  if (!config.managed_resources.empty()) {
    json.Key("managedResources").BeginArray();
    for (const framework::ExtenderManagedResource& resource : config.managed_resources) {
      json.BeginObject().Key("name").String(resource.name);
      WriteTrue("ignoredByScheduler", resource.ignored_by_scheduler, json);
      json.EndObject();
    }
    json.EndArray();
  }
  WriteTrue("ignorable", config.ignorable, json);
  json.EndObject();
}

void WriteProfile(const framework::ProfileConfiguration& profile, api::JsonWriter& json) {
  framework::ArgsWriter writer(json, framework::JsonForm::kApi);
  json.BeginObject();
  json.Key("schedulerName").String(profile.scheduler_name);
  if (profile.percentage_of_nodes_to_score) {
    json.Key("percentageOfNodesToScore").Int(*profile.percentage_of_nodes_to_score);
  }
  json.Key("plugins").BeginObject();
  for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
    json.Key(framework::NamesOf(point).config);
    writer.Write(profile.plugins[point]);
  }
  json.Key("multiPoint");
  writer.Write(profile.plugins.multi_point);
  json.EndObject();
  if (!profile.plugin_config.empty()) {
    json.Key("pluginConfig").BeginArray();
    for (const framework::PluginConfig& entry : profile.plugin_config) {
      json.BeginObject().Key("name").String(entry.name);
      if (!entry.args.empty()) {
        json.Key("args");
        entry.args.Write(writer);
      }
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

void WriteConfiguration(const framework::SchedulerConfiguration& configuration, api::JsonWriter& json) {
  json.BeginObject();
  json.Key("kind").String("KubeSchedulerConfiguration");
  json.Key("apiVersion").String(kApiVersion);
  json.Key("parallelism").Int(configuration.parallelism);
  WriteLeaderElection(configuration.leader_election, json.Key("leaderElection"));
  WriteClientConnection(configuration.client_connection, json.Key("clientConnection"));
  json.Key("enableProfiling").Bool(configuration.enable_profiling);
  json.Key("enableContentionProfiling").Bool(configuration.enable_contention_profiling);
  json.Key("percentageOfNodesToScore").Int(configuration.percentage_of_nodes_to_score.value_or(0));
  json.Key("podInitialBackoffSeconds").Int(configuration.pod_initial_backoff_seconds);
  json.Key("podMaxBackoffSeconds").Int(configuration.pod_max_backoff_seconds);
  json.Key("profiles").BeginArray();
  for (const framework::ProfileConfiguration& profile : configuration.profiles) WriteProfile(profile, json);
  json.EndArray();
  if (!configuration.extenders.empty()) {
    json.Key("extenders").BeginArray();
    for (const framework::ExtenderConfiguration& extender : configuration.extenders) WriteExtender(extender, json);
    json.EndArray();
  }
  WriteTrue("delayCacheUntilActive", configuration.delay_cache_until_active, json);
  json.EndObject();
}

}  // namespace

std::string ToJson(const framework::SchedulerConfiguration& configuration) {
  api::JsonWriter json;
  WriteConfiguration(configuration, json);
  return json.Take();
}

api::Document ToTree(const framework::SchedulerConfiguration& configuration) {
  api::JsonWriter tree = api::JsonWriter::OfTree();
  WriteConfiguration(configuration, tree);
  // It is no longer than the file that it was read from, nearly.
  return tree.TakeTree().value();
}

std::string ToYaml(const framework::SchedulerConfiguration& configuration) {
  return api::ToYaml(ToTree(configuration).root(), api::YamlOrder::kSorted);
}

}  // namespace berth::config
