// SPDX-License-Identifier: Apache-2.0
#include "app/envtest/kube_apiserver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "app/command_line/standard_output.h"
#include "app/envtest/stand_in_flags.h"
#include "app/scheduler/flags/flag_bindings.h"
#include "app/scheduler/flags/flag_set.h"
#include "app/scheduler/flags/versions.h"
#include "app/scheduler/serving/serving_port.h"
#include "app/up/options.h"
#include "app/up/run.h"
#include "base/result.h"
#include "net/address.h"
#include "runtime/clock.h"

namespace berth::envtest {
namespace {

constexpr std::string_view kServerName = "kube-apiserver";
constexpr std::string_view kAllowAll = "AlwaysAllow";

struct Values {
  scheduler_app::ServingOptions serving;
  std::vector<std::string> etcd_servers;
  std::vector<std::string> authorization_modes = {std::string(kAllowAll)};
  std::string client_ca_file;
  std::string token_auth_file;
  scheduler_app::GatesByComponent gates;
  std::string version = "false";
};

const std::vector<IdleFlag>& ServerIdleFlags() {
  static constexpr std::string_view kAdmission = "the rules of admission are fixed";
  static constexpr std::string_view kTokens = "tokens of service accounts are signed with a key of this process";
  static constexpr std::string_view kClients =
      "who shows nothing is anonymous where roles are asked, and refused elsewhere";
  static constexpr std::string_view kStore = "objects are kept in this process";
  static constexpr std::string_view kLog = "nothing is logged";
  static constexpr std::string_view kLoad = "requests are not queued by flow";
  static const std::vector<IdleFlag> flags = {
      {"advertise-address", "ip", "the service kubernetes has no endpoints"},
      {"allow-privileged", "bool", "containers are not run"},
      {"anonymous-auth", "bool", kClients},
      {"api-audiences", "strings", kTokens},
      {"disable-admission-plugins", "strings", kAdmission},
      {"enable-admission-plugins", "strings", kAdmission},
      {"enable-bootstrap-token-auth", "bool", "there are no such tokens"},
      {"enable-priority-and-fairness", "bool", kLoad},
      {"etcd-cafile", "string", kStore},
      {"etcd-certfile", "string", kStore},
      {"etcd-keyfile", "string", kStore},
      {"etcd-prefix", "string", kStore},
      {"event-ttl", "duration", "events stay, as nothing collects them"},
      {"logging-format", "string", kLog},
      {"max-mutating-requests-inflight", "int", kLoad},
      {"max-requests-inflight", "int", kLoad},
      {"min-request-timeout", "int", "watches last as long as they are wanted"},
      {"profiling", "bool", "there are no profiles"},
      {"runtime-config", "mapStringString", "the feature gates say which groups are served"},
      {"service-account-issuer", "strings", kTokens},
      {"service-account-key-file", "stringArray", kTokens},
      {"service-account-lookup", "bool", kTokens},
      {"service-account-signing-key-file", "string", kTokens},
      {"service-cluster-ip-range", "string", "services get addresses of 10.96.0.0/12"},
      {"service-node-port-range", "string", "node ports are of 30000-32767"},
      {"shutdown-delay-duration", "duration", "it ends when it is told to"},
      {"storage-backend", "string", kStore},
      {"storage-media-type", "string", kStore},
      {"v", "Level", kLog},
      {"vmodule", "pattern=N,...", kLog},
      {"watch-cache", "bool", kStore},
  };
  return flags;
}

void AddFlags(scheduler_app::FlagSet& flags, Values& values) {
  using namespace scheduler_app;  // NOLINT(google-build-using-namespace): the bindings.
  flags.BeginSection("Serving");
  flags.Add("bind-address", BindIp(values.serving.bind_address), "An address of loopback");
  flags.Add("secure-port", BindInt(values.serving.secure_port), "Port to serve on, with TLS");
  flags.Add("cert-dir", BindString(values.serving.cert_dir),
            "Where apiserver.crt and apiserver.key are; they are made if they are not");
  flags.Add("tls-cert-file", BindString(values.serving.cert_file), "Certificate to serve with, instead");
  flags.Add("tls-private-key-file", BindString(values.serving.key_file), "Its key");
  flags.BeginSection("Cluster");
  flags.Add("etcd-servers", BindStrings(values.etcd_servers), "Has to be given, and is not used");
  flags.Add("client-ca-file", BindString(values.client_ca_file), "Authorities whose certificates say who a client is");
  flags.Add("token-auth-file", BindString(values.token_auth_file), "Users by their tokens");
  flags.Add("authorization-mode", BindStrings(values.authorization_modes),
            "RBAC, AlwaysAllow and Node, which adds nothing to RBAC");
  flags.Add("feature-gates", BindGates(values.gates), "Gates of the server, such as A=true,B=false");
  flags.Add("version", BindVersion(values.version), "Print the version");
  AddIdleFlags(flags, ServerIdleFlags());
}

Result<void> Check(const Values& values) {
  if (values.etcd_servers.empty()) return Invalid("--etcd-servers must be specified");
  if (values.serving.secure_port < 1 || values.serving.secure_port > std::numeric_limits<uint16_t>::max()) {
    return Invalid(fmt::format("--secure-port {} must be between 1 and 65535, inclusive", values.serving.secure_port));
  }
  if (!net::IsLoopback(*net::ParseAddress(values.serving.bind_address, 0))) {
    return Invalid(fmt::format("--bind-address {}: only loopback is served", values.serving.bind_address));
  }
  for (const std::string& mode : values.authorization_modes) {
    const bool is_known = mode == kAllowAll || mode == "RBAC" || mode == "Node";
    if (!is_known) return Invalid(fmt::format("--authorization-mode {}: is not supported", mode));
  }
  return {};
}

Result<up::Options> OptionsOf(Values& values) {
  BERTH_CHECK_OK(Check(values));
  scheduler_app::ServingOptions& serving = values.serving;
  if (serving.cert_file.empty()) {
    // Makes what is missing.
    BERTH_TRY(scheduler_app::LoadServingCertificate(serving, runtime::Clock().Wall()));
    serving.cert_file = fmt::format("{}/{}.crt", serving.cert_dir, serving.pair_name);
    serving.key_file = fmt::format("{}/{}.key", serving.cert_dir, serving.pair_name);
  }
  up::Options options;
  options.listen = serving.bind_address;
  options.port = static_cast<uint16_t>(serving.secure_port);
  options.is_port_given = true;
  options.tls_cert_file = serving.cert_file;
  options.tls_key_file = serving.key_file;
  options.client_ca_file = values.client_ca_file;
  options.token_auth_file = values.token_auth_file;
  const bool allows_all = std::ranges::find(values.authorization_modes, kAllowAll) != values.authorization_modes.end();
  if (!allows_all) options.authorization = up::kRbac;
  for (const auto& [component, gates] : values.gates) {
    options.feature_gates.insert(options.feature_gates.end(), gates.begin(), gates.end());
  }
  options.kubeconfig.clear();
  options.runs_scheduler = false;
  options.runs_cluster = false;
  options.is_quiet = true;
  return options;
}

}  // namespace

int RunKubeApiServer(const std::vector<std::string>& arguments) {
  Values values;
  values.serving.bind_address = "127.0.0.1";
  values.serving.secure_port = 6443;
  values.serving.cert_dir = "/var/run/kubernetes";
  values.serving.pair_name = "apiserver";
  scheduler_app::FlagSet flags;
  AddFlags(flags, values);
  if (const auto done = ParseStandIn(kServerName, flags, arguments)) return *done;
  if (values.version != "false") {
    app::Print(scheduler_app::VersionLine(scheduler_app::kKubernetesVersion) + "\n");
    return 0;
  }
  const Result<up::Options> options = OptionsOf(values);
  if (options) return up::RunUp(*options);
  fmt::print(stderr, "{}: {}\n", kServerName, options.error().message);
  return 1;
}

}  // namespace berth::envtest
