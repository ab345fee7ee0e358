// SPDX-License-Identifier: Apache-2.0
// Options: everything that the command line and the configuration file of `berth scheduler` decide.
//
// A default-constructed value holds the flags' defaults. CompleteOptions (complete.h) fills one in; files that it
// names are not opened by then, except the configuration file.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/scheduler/flags/legacy_algorithm.h"
#include "base/result.h"
#include "base/time.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "plugins/registry.h"
#include "telemetry/process_metrics.h"

namespace berth::scheduler_app {

// One certificate that is served to clients which ask for a matching name.
struct SniCertificate {
  std::string cert_file;
  std::string key_file;
  std::vector<std::string> names;  // Domain patterns; empty: those of the certificate.

  bool operator==(const SniCertificate&) const = default;
};

struct ServingOptions {
  std::string bind_address = "0.0.0.0";  // An IP address.
  int64_t secure_port = 10259;           // 0: nothing is served.
  bool permit_port_sharing = false;      // SO_REUSEPORT.
  bool permit_address_sharing = false;   // SO_REUSEADDR.
  std::string cert_dir;                  // Empty: a generated certificate is kept in memory only.
  std::string pair_name = "kube-scheduler";
  std::string cert_file;
  std::string key_file;
  std::vector<std::string> cipher_suites;  // IANA names; empty: the library's defaults.
  std::vector<int32_t> curve_preferences;  // IANA numbers; empty: the library's defaults.
  std::string min_tls_version;             // "", "VersionTLS10" ... "VersionTLS13".
  std::vector<SniCertificate> sni_certificates;
  bool disable_http2 = false;
  int64_t http2_max_streams = 0;  // 0: the library's default.

  bool operator==(const ServingOptions&) const = default;
};

// A port for plain HTTP that everybody may use, as schedulers had up to v1.22.
struct PlainServing {
  std::string address;  // An IP address.
  uint16_t port = 0;

  bool operator==(const PlainServing&) const = default;
};

struct RequestHeaderOptions {
  std::string client_ca_file;
  std::vector<std::string> username_headers = {"x-remote-user"};
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers = {"x-remote-group"};
  std::vector<std::string> extra_headers_prefixes = {"x-remote-extra-"};
  std::vector<std::string> allowed_names;  // Empty: any name that the CA vouches for.

  bool operator==(const RequestHeaderOptions&) const = default;
};

struct AuthenticationOptions {
  std::string kubeconfig;  // Empty: the in-cluster service account, or no token lookup.
  Duration cache_ttl = Seconds(10);
  bool skip_lookup = false;
  bool tolerate_lookup_failure = true;
  std::string client_ca_file;
  RequestHeaderOptions request_header;

  bool operator==(const AuthenticationOptions&) const = default;
};

struct AuthorizationOptions {
  std::string kubeconfig;
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};
  Duration allow_cache_ttl = Seconds(10);
  Duration deny_cache_ttl = Seconds(10);

  bool operator==(const AuthorizationOptions&) const = default;
};

// One `pattern=N` of --vmodule.
struct ModuleVerbosity {
  std::string pattern;
  uint32_t verbosity = 0;

  bool operator==(const ModuleVerbosity&) const = default;
};

struct LoggingOptions {
  std::string format = "text";  // Or "json".
  uint32_t verbosity = 0;
  std::vector<ModuleVerbosity> vmodule;
  Duration flush_frequency = Seconds(5);
  // Of the chosen format: errors to stderr and the rest, through a buffer of this size, to stdout.
  bool split_stream = false;
  int64_t info_buffer_bytes = 0;

  bool operator==(const LoggingOptions&) const = default;
};

struct MetricsOptions {
  std::string show_hidden_for_version;
  std::vector<std::string> disabled;
  std::map<std::string, std::string> allow_labels;  // "metric,label" to "value,value".
  std::string allow_labels_manifest;

  bool operator==(const MetricsOptions&) const = default;
};

// A flag with the text of its value, as /flagz shows it.
struct FlagValue {
  std::string name;
  std::string value;
  bool is_extra = false;  // Upstream does not have it.

  bool operator==(const FlagValue&) const = default;
};

struct Options {
  const framework::Registry* plugins = &plugins::BuiltIn();  // That profiles may enable.
  framework::SchedulerConfiguration configuration;           // Complete: defaults, then the file, then flags.
  framework::FeatureGates gates;
  std::map<std::string, bool> gate_overrides;     // As given, by name.
  std::vector<telemetry::FeatureState> features;  // Every gate of the emulated version.
  std::string config_file;
  std::string master;           // Overrides the server of the kubeconfig.
  std::string write_config_to;  // Write the configuration there and exit.
  ServingOptions serving;
  std::vector<PlainServing> plain_serving;
  AuthenticationOptions authentication;
  AuthorizationOptions authorization;
  LoggingOptions logging;
  MetricsOptions metrics;
  LegacyAlgorithm legacy;
  std::string emulation_version = "1.37";          // major.minor
  std::string min_compatibility_version = "1.36";  // major.minor
  std::string reported_version = "v1.37.1";        // What the scheduler says it is.
  std::vector<FlagValue> flags;                    // All of them, sorted by name.

  // Berth's own.
  // With reload_config, a configuration file that changes is read again by this.
  bool reload_config = false;
  std::function<Result<framework::SchedulerConfiguration>(std::string_view text)> load_configuration;
  std::string record_file;                        // Where the input log is written; empty: nowhere.
  int64_t record_limit_bytes = int64_t{1} << 30;  // The recording stops growing here; 0: never.
  bool serves_dashboard = false;                  // On the serving port.
  // How much of attempts is remembered, see scheduler::RecordLimits; 0: nothing.
  int64_t decision_record_bytes = int64_t{32} << 20;
};

}  // namespace berth::scheduler_app
