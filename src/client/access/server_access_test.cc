// SPDX-License-Identifier: Apache-2.0
#include "client/access/server_access.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/request/test_network.h"
#include "runtime/test_files.h"

namespace berth::client {
namespace {

using ::testing::HasSubstr;

class TestRunner final : public CommandRunner {
 public:
  void Run(Command command, Done) override { commands.push_back(std::move(command)); }
  std::vector<Command> commands;
};

ClientEnvironment NoEnvironment() {
  ClientEnvironment environment;
  environment.service_account_directory = "/nowhere";
  return environment;
}

std::string Kubeconfig(std::string_view cluster, std::string_view user) {
  return fmt::format(
      "{{current-context: m, contexts: [{{name: m, context: {{cluster: x, user: u}}}}],"
      " clusters: [{{name: x, cluster: {{{}}}}}], users: [{{name: u, user: {{{}}}}}]}}",
      cluster, user);
}

Result<ServerAccess> Find(std::string_view kubeconfig, const std::string& master = "",
                          const ClientEnvironment& environment = NoEnvironment()) {
  runtime::TestDirectory directory;
  return FindServer(directory.Write("config", kubeconfig), master, environment);
}

std::string ErrorOfConfig(std::string_view kubeconfig) {
  Result<ServerAccess> access = Find(kubeconfig);
  return access ? "none" : access.error().message;
}

std::string Shown(const ServerAccess& access) {
  TestTimers timers;
  TestRunner runner;
  std::string shown;
  std::unique_ptr<Credentials> credentials = access.make_credentials({timers, runner, [](const ClientIdentity&) {}});
  credentials->Get([&](Result<Authorization> authorization) {
    for (const net::Header& header : authorization->headers) shown += header.name + ": " + header.value + "\n";
  });
  for (const Command& command : runner.commands)
    shown += "runs " + command.program + " " + command.environment[0].second;
  return shown;
}

TEST(ServerAccess, ComesFromTheCurrentContext) {
  Result<ServerAccess> access = Find(
      Kubeconfig("server: 'https://kube:6443/base/', tls-server-name: kn, certificate-authority-data: Q0E=, proxy-url: "
                 "'http://p:1'",
                 "token: t, client-certificate-data: Qw==, client-key-data: Sw=="));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->url, "https://kube:6443/base");
  EXPECT_EQ(access->endpoint.host, "kube");
  EXPECT_EQ(access->endpoint.base_path, "/base");
  ASSERT_TRUE(access->proxy);
  EXPECT_EQ(access->proxy->host, "p");
  EXPECT_EQ(access->tls.ca_pem + access->tls.certificate_pem + access->tls.key_pem, "CACK");
  EXPECT_EQ(access->tls.server_name, "kn");
  EXPECT_EQ(Shown(*access), "Authorization: Bearer t\n");
}

TEST(ServerAccess, MasterReplacesTheAddress) {
  Result<ServerAccess> access = Find(Kubeconfig("server: 'https://kube', tls-server-name: kn", ""), "https://other:1");
  ASSERT_TRUE(access);
  EXPECT_EQ(access->url, "https://other:1");
  EXPECT_EQ(access->tls.server_name, "");
  Result<ServerAccess> alone = FindServer("", "127.0.0.1:8080", NoEnvironment());
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->url, "http://127.0.0.1:8080");
}

TEST(ServerAccess, NoSecretGoesToAServerWithoutTls) {
  Result<ServerAccess> access = Find(Kubeconfig("server: 'http://kube'", "token: t, as: jane"));
  ASSERT_TRUE(access);
  EXPECT_EQ(Shown(*access), "Impersonate-User: jane\n");
}

TEST(ServerAccess, AWrittenSecretWinsOverACommand) {
  constexpr std::string_view kExec =
      "exec: {command: login, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, provideClusterInfo: "
      "true}";
  constexpr std::string_view kServer = "server: 'https://kube', certificate-authority-data: Q0E=";
  EXPECT_EQ(Shown(*Find(Kubeconfig(kServer, fmt::format("username: a, password: b, {}", kExec)))),
            "Authorization: Basic YTpi\n");
  EXPECT_EQ(
      Shown(*Find(Kubeconfig(kServer, kExec))),
      "runs login "
      "{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"spec\":{\"cluster\":"
      "{\"server\":\"https://kube\",\"certificate-authority-data\":\"Q0E=\",\"config\":null},\"interactive\":false}}");
}

TEST(ServerAccess, ErrorsAreUpstreams) {
  EXPECT_EQ(
      FindServer("", "", NoEnvironment()).error().message,
      "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable");
  EXPECT_EQ(FindServer("/nowhere/config", "", NoEnvironment()).error().message,
            "stat /nowhere/config: no such file or directory");
  EXPECT_EQ(
      ErrorOfConfig(""),
      "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable");
  EXPECT_EQ(ErrorOfConfig(Kubeconfig("tls-server-name: kn", "")),
            "invalid configuration: no server found for cluster \"x\"");
  EXPECT_EQ(ErrorOfConfig("{current-context: a}"),
            "invalid configuration: [context was not found for specified context: a, cluster has no server defined]");
  EXPECT_EQ(ErrorOfConfig(Kubeconfig("server: 'https://kube', certificate-authority: /nowhere/ca", "")),
            "invalid configuration: unable to read certificate-authority /nowhere/ca for x due to open /nowhere/ca: no "
            "such file or directory");
  EXPECT_EQ(ErrorOfConfig(Kubeconfig("server: 'https://kube'", "client-certificate-data: Qw==")),
            "invalid configuration: client-key-data or client-key must be specified for u to use the clientCert "
            "authentication method.");
  EXPECT_EQ(
      ErrorOfConfig(Kubeconfig("server: 'https://kube'", "token: t, username: a")),
      "invalid configuration: more than one authentication method found for u; found [token basicAuth], only one is "
      "allowed");
  EXPECT_EQ(ErrorOfConfig(Kubeconfig("server: 'https://kube'", "auth-provider: {name: gcp}")),
            "no Auth Provider found for name \"gcp\"");
  EXPECT_EQ(
      ErrorOfConfig(Kubeconfig("server: 'https://kube'", "exec: {command: c, apiVersion: v9, interactiveMode: Never}")),
      "exec plugin: invalid apiVersion \"v9\"");
  EXPECT_EQ(ErrorOfConfig(Kubeconfig("server: 'https://kube'", "exec: {command: c, apiVersion: v1}")),
            "invalid configuration: interactiveMode must be specified for u to use exec authentication plugin");
  EXPECT_EQ(
      ErrorOfConfig(Kubeconfig("server: 'https://kube', insecure-skip-tls-verify: true, certificate-authority-data: "
                               "Q0E=",
                               "")),
      "specifying a root certificates file with the insecure flag is not allowed");
  EXPECT_EQ(
      ErrorOfConfig(Kubeconfig("server: 'https://kube', proxy-url: 'ftp://p'", "")),
      "invalid configuration: invalid 'proxy-url' \"ftp://p\" for cluster \"x\": unsupported scheme \"ftp\", must be "
      "http, https, or socks5");
  EXPECT_EQ(ErrorOfConfig(Kubeconfig("server: 'https://kube'", "as-groups: [a]")),
            "invalid configuration: requesting uid, groups or user-extra for u without impersonating a user");
  EXPECT_EQ(ErrorOfConfig(Kubeconfig("server: 'https://kube'", "tokenFile: /nowhere/token")),
            "open /nowhere/token: no such file or directory");
  EXPECT_THAT(ErrorOfConfig(Kubeconfig("server: 'kube/path'", "")),
              HasSubstr("host must be a URL or a host:port pair"));
}

TEST(ServerAccess, InAClusterIsThatOfTheServiceAccount) {
  runtime::TestDirectory directory;
  ClientEnvironment environment;
  environment.service_account_directory = directory.path();
  environment.service_host = "fd00::1";
  environment.service_port = "443";
  environment.proxies.https_proxy = "proxy:1";
  EXPECT_FALSE(FindServer("", "", environment));
  directory.Write("token", "t");
  const Result<ServerAccess> without_ca = FindServer("", "", environment);
  ASSERT_FALSE(without_ca) << "the system's authorities are not asked instead";
  EXPECT_EQ(without_ca.error().message, "open " + directory.path() + "/ca.crt: no such file or directory");
  directory.Write("ca.crt", "CA");

  Result<ServerAccess> access = FindServer("", "", environment);

  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->url, "https://[fd00::1]:443");
  EXPECT_EQ(access->ca_file, directory.path() + "/ca.crt");
  ASSERT_TRUE(access->proxy);
  EXPECT_EQ(access->proxy->host, "proxy");
  EXPECT_EQ(Shown(*access), "Authorization: Bearer t\n");
}

TEST(ServerAccess, FlagsCountMoreThanTheKubeconfig) {
  runtime::TestDirectory directory;
  const std::string path = directory.Write(
      "config",
      "{current-context: m, contexts: [{name: m, context: {cluster: x, user: u}}, {name: o, context: {cluster: z, "
      "user: "
      "v}}], clusters: [{name: x, cluster: {server: 'https://x:1', certificate-authority-data: Y2E=}}, {name: z, "
      "cluster: {server: 'https://y:2', tls-server-name: name}}], users: [{name: u, user: {token: t-u}}, {name: v, "
      "user: "
      "{token: t-v}}]}");
  AccessOverrides overrides;
  overrides.context = "o";

  Result<ServerAccess> access = FindServer(path, overrides, NoEnvironment());
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->url, "https://y:2");
  EXPECT_EQ(Shown(*access), "Authorization: Bearer t-v\n");

  overrides = {.context = {},
               .server = "https://berth:10259",
               .certificate_authority = directory.Write("ca", "pem"),
               .insecure_skip_tls_verify = false,
               .token_file = directory.Write("token", "of-file"),
               .client_certificate = {},
               .client_key = {}};
  access = FindServer(path, overrides, NoEnvironment());
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->url, "https://berth:10259");
  EXPECT_EQ(access->ca_file, overrides.certificate_authority);
  EXPECT_EQ(access->tls.ca_pem, "");
  EXPECT_EQ(Shown(*access), "Authorization: Bearer of-file\n");

  overrides.server = "http://berth:1";
  EXPECT_EQ(FindServer(path, overrides, NoEnvironment()).error().message,
            "tokens and certificates are shown by https only, not to http://berth:1");
  overrides.context = "nowhere";
  EXPECT_THAT(FindServer(path, overrides, NoEnvironment()).error().message,
              HasSubstr("context was not found for specified context: nowhere"));
}

}  // namespace
}  // namespace berth::client
