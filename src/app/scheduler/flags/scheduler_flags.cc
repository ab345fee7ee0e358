// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/scheduler_flags.h"

#include <fmt/format.h>

#include "app/scheduler/flags/gates.h"

namespace berth::scheduler_app {
namespace {

void DefineMisc(FlagSet& flags, Options& options) {
  flags.BeginSection("Misc");
  flags.Add("config", BindString(options.config_file), "The file with the KubeSchedulerConfiguration.");
  flags.Add("master", BindString(options.master), "Address of the API server; replaces the one in the kubeconfig.");
  flags.Add("write-config-to", BindString(options.write_config_to),
            "Write the configuration, completed, to this file and exit.");
}

void DefineServing(FlagSet& flags, ServingOptions& serving) {
  flags.BeginSection("Secure serving");
  flags.Add("bind-address", BindIp(serving.bind_address),
            "IP address to listen on at --secure-port. An unspecified one (0.0.0.0 or ::) means all interfaces.");
  flags.Add(
      "cert-dir", BindString(serving.cert_dir),
      "Directory of the serving certificate and key, kube-scheduler.crt and .key, which are made there if missing. "
      "Not used when --tls-cert-file and --tls-private-key-file are given.");
  flags.Add("disable-http2-serving", BindBool(serving.disable_http2), "Do not offer HTTP/2.");
  flags.Add("http2-max-streams-per-connection", BindInt(serving.http2_max_streams),
            "Limit of streams in an HTTP/2 connection; 0 means the default.");
  flags.Add("permit-address-sharing", BindBool(serving.permit_address_sharing), "Listen with SO_REUSEADDR.");
  flags.Add("permit-port-sharing", BindBool(serving.permit_port_sharing),
            "Listen with SO_REUSEPORT, so that several instances can share a port.");
  flags.Add("secure-port", BindInt(serving.secure_port),
            "Port for HTTPS with authentication and authorization; 0 means that nothing is served.");
  flags.Add(
      "tls-cert-file", BindString(serving.cert_file),
      "File with the serving certificate, followed by those of its issuers. Without it a self-signed one is made.");
  flags.Add("tls-cipher-suites", BindStrings(serving.cipher_suites),
            "Cipher suites to offer, by IANA name, with commas between them.");
  flags.Add("tls-curve-preferences", BindInt32s(serving.curve_preferences),
            "Key exchange mechanisms to allow, by IANA number, with commas between them. Their order has no meaning.");
  flags.Add("tls-min-version", BindString(serving.min_tls_version),
            "Oldest TLS version to accept: VersionTLS10, VersionTLS11, VersionTLS12 (which is the default) or "
            "VersionTLS13.");
  flags.Add("tls-private-key-file", BindString(serving.key_file), "File with the key of --tls-cert-file.");
  flags.Add("tls-sni-cert-key", BindCertificates(serving.sni_certificates),
            "Certificate and key file for clients that ask for certain names, such as \"a.crt,a.key\" or "
            "\"a.crt,a.key:*.a.example,a.example\". Can be repeated.");
}

void DefineAuthentication(FlagSet& flags, AuthenticationOptions& authentication) {
  flags.BeginSection("Authentication");
  flags.Add(
      "authentication-kubeconfig", BindString(authentication.kubeconfig),
      "kubeconfig of the server that reviews tokens and has the client CA. Without one, and outside of a cluster, "
      "clients with tokens are anonymous.");
  flags.Add("authentication-skip-lookup", BindBool(authentication.skip_lookup),
            "Do not look up the client CA in the cluster.");
  flags.Add("authentication-token-webhook-cache-ttl", BindDuration(authentication.cache_ttl),
            "How long the result of a token review is remembered.");
  flags.Add("authentication-tolerate-lookup-failure", BindBool(authentication.tolerate_lookup_failure),
            "Start even if the lookup in the cluster fails; clients may then all be anonymous.");
  flags.Add("client-ca-file", BindString(authentication.client_ca_file),
            "File with the authorities that vouch for client certificates, whose common name is the user.");
  RequestHeaderOptions& headers = authentication.request_header;
  flags.Add("requestheader-allowed-names", BindStrings(headers.allowed_names),
            "Common names of the proxies that may name a user in headers; empty means any name that "
            "--requestheader-client-ca-file vouches for.");
  flags.Add("requestheader-client-ca-file", BindString(headers.client_ca_file),
            "File with the authorities that vouch for proxies. Their headers are trusted without further checks.");
  flags.Add("requestheader-extra-headers-prefix", BindStrings(headers.extra_headers_prefixes),
            "Prefixes of headers with further properties of the user.");
  flags.Add("requestheader-group-headers", BindStrings(headers.group_headers), "Headers with groups of the user.");
  flags.Add("requestheader-uid-headers", BindStrings(headers.uid_headers), "Headers with the UID of the user.");
  flags.Add("requestheader-username-headers", BindStrings(headers.username_headers), "Headers with the user's name.");
}

void DefineAuthorization(FlagSet& flags, AuthorizationOptions& authorization) {
  flags.BeginSection("Authorization");
  flags.Add("authorization-always-allow-paths", BindStrings(authorization.always_allow_paths),
            "Paths that everybody may request.");
  flags.Add(
      "authorization-kubeconfig", BindString(authorization.kubeconfig),
      "kubeconfig of the server that reviews access. Without one, and outside of a cluster, all other requests are "
      "forbidden.");
  flags.Add("authorization-webhook-cache-authorized-ttl", BindDuration(authorization.allow_cache_ttl),
            "How long it is remembered that something is allowed.");
  flags.Add("authorization-webhook-cache-unauthorized-ttl", BindDuration(authorization.deny_cache_ttl),
            "How long it is remembered that something is not allowed.");
}

void DefineDeprecated(FlagSet& flags, FlagValues& values) {
  constexpr std::string_view kUsage = "DEPRECATED: {}. Has no effect together with --config.";
  framework::ClientConnectionConfiguration& client = values.configuration.client_connection;
  flags.BeginSection("Deprecated");
  flags.Add("contention-profiling", BindBool(values.configuration.enable_contention_profiling),
            fmt::format(kUsage, "profile contention as well, when profiling is on"));
  flags.Add("kube-api-burst", BindInt32(client.burst), fmt::format(kUsage, "requests to the API server in a burst"));
  flags.Add("kube-api-content-type", BindString(client.content_type),
            fmt::format(kUsage, "content type of requests to the API server"));
  flags.Add("kube-api-qps", BindFloat(client.qps), fmt::format(kUsage, "requests to the API server in a second"));
  flags.Add("kubeconfig", BindString(client.kubeconfig),
            fmt::format(kUsage, "file with the address of the API server and the credentials"));
  flags.Add(
      "pod-max-in-unschedulable-pods-duration", BindDuration(values.configuration.pod_max_in_unschedulable),
      "DEPRECATED: how long a pod can be left among the unschedulable ones before it is tried again without cause.");
  flags.Add("profiling", BindBool(values.configuration.enable_profiling),
            fmt::format(kUsage, "serve profiles under /debug/pprof/"));
}

void DefineLeaderElection(FlagSet& flags, framework::LeaderElectionConfiguration& election) {
  flags.BeginSection("Leader election");
  flags.Add("leader-elect", BindBool(election.leader_elect),
            "Become the leader before scheduling. Needed where several instances run for availability.");
  flags.Add("leader-elect-lease-duration", BindDuration(election.lease_duration),
            "How long others wait after the last renewal they saw before they take the lease.");
  flags.Add("leader-elect-renew-deadline", BindDuration(election.renew_deadline),
            "How long a leader tries to renew before it gives up; shorter than the lease.");
  flags.Add("leader-elect-resource-lock", BindString(election.resource_lock), "Kind of the lock: \"leases\".");
  flags.Add("leader-elect-resource-name", BindString(election.resource_name), "Name of the lease.");
  flags.Add("leader-elect-resource-namespace", BindString(election.resource_namespace), "Namespace of the lease.");
  flags.Add("leader-elect-retry-period", BindDuration(election.retry_period), "Time between two tries.");
}

void DefineGates(FlagSet& flags, FlagValues& values) {
  flags.BeginSection("Feature gate");
  flags.Add("emulated-version", BindStrings(values.emulated_versions),
            "The version to behave like, as major.minor, such as 1.36 or kube=1.36.\n"
            "Options are: kube=1.34..1.37(default:1.37)");
  flags.Add(
      "feature-gates", BindGates(values.gates),
      "Gates with their values, such as A=true,B=false or kube:A=true, with commas between them. Can be repeated. "
      "Options are:\n" +
          fmt::format("{}", fmt::join(GateHelp(), "\n")));
  flags.Add("min-compatibility-version", BindStrings(values.min_compatibility_versions),
            "The oldest version among the components of the control plane, not above the emulated one.\n"
            "Options are: kube=1.34..1.37(default:1.36)");
}

void DefineMetrics(FlagSet& flags, MetricsOptions& metrics) {
  flags.BeginSection("Metrics");
  flags.Add("allow-metric-labels", BindStringMap(metrics.allow_labels),
            "Values that labels may have, such as metric1,label1='v1,v2'; others become \"unexpected\".");
  flags.Add("allow-metric-labels-manifest", BindString(metrics.allow_labels_manifest),
            "File with such values, as a map from \"metric,label\" to \"v1,v2\".");
  flags.Add("disabled-metrics", BindStrings(metrics.disabled), "Full names of metrics that are not to be served.");
  flags.Add("show-hidden-metrics-for-version", BindString(metrics.show_hidden_for_version),
            "Serve metrics that were hidden after this version, which must be the previous one, as major.minor.");
}

void DefineLogs(FlagSet& flags, FlagValues& values) {
  LoggingFlags& logging = values.logging;
  flags.BeginSection("Logs");
  flags.Add("log-flush-frequency", BindDuration(logging.flush_frequency),
            "Longest time between two flushes of the log.");
  flags.Add(
      "log-json-info-buffer-size", BindQuantity(logging.json_info_buffer_bytes),
      "[Alpha] Size of the buffer for messages in a split JSON log, such as 512, 1K or 2Ki; 0 means none. Needs the "
      "gate LoggingAlphaOptions.");
  flags.Add("log-json-split-stream", BindBool(logging.json_split_stream),
            "[Alpha] In JSON format, errors go to stderr and the rest to stdout. Needs the gate LoggingAlphaOptions.");
  flags.Add(
      "log-text-info-buffer-size", BindQuantity(logging.text_info_buffer_bytes),
      "[Alpha] Size of the buffer for messages in a split text log, such as 512, 1K or 2Ki; 0 means none. Needs the "
      "gate LoggingAlphaOptions.");
  flags.Add("log-text-split-stream", BindBool(logging.text_split_stream),
            "[Alpha] In text format, errors go to stderr and the rest to stdout. Needs the gate LoggingAlphaOptions.");
  flags.Add("logging-format", BindString(logging.format), "Format of the log: \"json\" or \"text\".");
  flags.Add("v", BindLevel(values.options.logging.verbosity), "Verbosity of the log.", 'v');
  flags.Add("vmodule", BindModules(values.options.logging.vmodule),
            "Verbosity by source file, as pattern=N with commas between them. Text format only.");
}

void DefineGlobal(FlagSet& flags, FlagValues& values) {
  flags.BeginSection("Global");
  flags.Add("help", BindBool(values.help), "Print this help.", 'h');
  flags.Add("version", BindVersion(values.version),
            "Print the version and exit; =raw prints all there is, =vX.Y.Z... sets the version that is reported.");
}

void DefineLegacyPolicy(FlagSet& flags, LegacyFlags& legacy) {
  flags.BeginSection("Berth legacy policy", false);
  flags.Add("algorithm-provider", BindString(legacy.algorithm_provider),
            "Schedule with the plugins of this algorithm provider, DefaultProvider or ClusterAutoscalerProvider. A "
            "policy wins over it.");
  flags.Add("policy-config-file", BindString(legacy.policy_config_file),
            "The file with the Policy. Used without --policy-configmap, or with --use-legacy-policy-config.");
  flags.Add("policy-configmap", BindString(legacy.policy_config_map),
            "The ConfigMap with the Policy, at the key policy.cfg. It is read once, at the start.");
  flags.Add("policy-configmap-namespace", BindString(legacy.policy_config_map_namespace),
            "The namespace of --policy-configmap.");
  flags.Add("policy-compat", BindPolicyCompat(legacy.policy_compat),
            "The release whose reading of a policy or provider applies: v1.16, v1.21 or v1.22. Without a policy or "
            "provider it has no effect. With v1.16, --config may be a KubeSchedulerConfiguration v1alpha1.");
  flags.Add("use-legacy-policy-config", BindBool(legacy.use_legacy_policy_config),
            "Take --policy-config-file even if --policy-configmap is given.");
}

// Of the releases up to v1.22, so that their command lines still start a scheduler.
void DefineLegacy(FlagSet& flags, LegacyFlags& legacy) {
  constexpr std::string_view kUsage = "{}. Has no effect together with --config.";
  flags.BeginSection("Berth legacy", false);
  flags.Add("address", BindIp(legacy.address), "IP address to listen on at --port.");
  flags.Add("alsologtostderr", BindBool(legacy.also_log_to_stderr), "No effect: the log goes to standard error.");
  flags.Add("hard-pod-affinity-symmetric-weight", BindInt32(legacy.hard_pod_affinity_weight),
            fmt::format(kUsage, "Weight that required pod affinity has for pods that it is about, 0 to 100"));
  flags.Add("lock-object-name", BindString(legacy.lock_object_name),
            fmt::format(kUsage, "Name of the lease; --leader-elect-resource-name wins over it"));
  flags.Add("lock-object-namespace", BindString(legacy.lock_object_namespace),
            fmt::format(kUsage, "Namespace of the lease; --leader-elect-resource-namespace wins over it"));
  flags.Add("log-dir", BindString(legacy.log_dir), "Refused: the log goes to standard error.");
  flags.Add("log-file", BindString(legacy.log_file), "Refused: the log goes to standard error.");
  flags.Add("logtostderr", BindBool(legacy.log_to_stderr), "Only true is possible.");
  flags.Add("port", BindInt(legacy.port),
            "Port for plain HTTP, on which everybody may read health and metrics; 0 means that there is none.");
  flags.Add("scheduler-name", BindString(legacy.scheduler_name),
            fmt::format(kUsage, "Name of the scheduler, which pods give as spec.schedulerName"));
}

void DefineBerth(FlagSet& flags, Options& options) {
  flags.BeginSection("Berth", false);
  flags.Add("dashboard", BindBool(options.serves_dashboard),
            "Serve a dashboard at https://ADDRESS:PORT/dashboard/. What it shows, only those see who may read "
            "/berth/v1/.");
  flags.Add("decision-records", BindQuantity(options.decision_record_bytes),
            "How much memory the last attempts of pods may take, for those who ask why, such as 64Mi; the oldest are "
            "forgotten first, 0 means that none are kept.");
  flags.Add("record", BindString(options.record_file),
            "Write everything that the scheduler's decisions depend on to this file, for `berth replay`.");
  flags.Add("reload-config", BindBool(options.reload_config),
            "Take up changes of the --config file without a restart, where that is possible.");
  flags.Add("record-limit", BindQuantity(options.record_limit_bytes),
            "Size at which the recording ends, such as 512Mi; 0 means no limit.");
}

}  // namespace

void DefineFlags(FlagSet& flags, FlagValues& values) {
  DefineMisc(flags, values.options);
  DefineServing(flags, values.options.serving);
  DefineAuthentication(flags, values.options.authentication);
  DefineAuthorization(flags, values.options.authorization);
  DefineDeprecated(flags, values);
  DefineLeaderElection(flags, values.configuration.leader_election);
  DefineGates(flags, values);
  DefineMetrics(flags, values.options.metrics);
  DefineLogs(flags, values);
  DefineGlobal(flags, values);
  DefineLegacyPolicy(flags, values.legacy);
  DefineLegacy(flags, values.legacy);
  DefineBerth(flags, values.options);
}

}  // namespace berth::scheduler_app
