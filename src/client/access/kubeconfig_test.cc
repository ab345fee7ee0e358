// SPDX-License-Identifier: Apache-2.0
#include "client/access/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/test_files.h"

namespace berth::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kFull = R"(
apiVersion: v1
kind: Config
current-context: main
preferences: {}
clusters:
- name: c
  cluster:
    server: https://kube:6443
    tls-server-name: kubernetes
    certificate-authority: pki/ca.crt
    certificate-authority-data: Q0E=
    proxy-url: http://proxy:3128
    disable-compression: true
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: x}
- name: other
  cluster: {server: "http://other", insecure-skip-tls-verify: true}
contexts:
- {name: main, context: {cluster: c, user: u, namespace: kube-system}}
users:
- name: u
  user:
    client-certificate: /abs/u.crt
    client-certificate-data: Q0VSVA==
    client-key: ../u.key
    client-key-data: S0VZ
    token: t
    tokenFile: token
    username: nn
    password: p
    as: jane
    as-uid: "7"
    as-groups: [dev]
    as-user-extra: {scope: [a, b]}
- name: e
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: ./login
      args: [--now]
      env: [{name: A, value: b}]
      installHint: Install it.
      provideClusterInfo: true
- name: g
  user: {auth-provider: {name: gcp}}
)";

TEST(Kubeconfig, IsReadWithFilesResolvedAgainstItsDirectory) {
  Result<Kubeconfig> kubeconfig = ParseKubeconfig(kFull, "/etc/kube");
  ASSERT_TRUE(kubeconfig) << kubeconfig.error().message;

  EXPECT_EQ(kubeconfig->current_context, "main");
  EXPECT_EQ(kubeconfig->contexts.at("main").user, "u");
  const KubeconfigCluster& cluster = kubeconfig->clusters.at("c");
  EXPECT_EQ(cluster.server, "https://kube:6443");
  EXPECT_EQ(cluster.tls_server_name, "kubernetes");
  EXPECT_EQ(cluster.certificate_authority, "/etc/kube/pki/ca.crt");
  EXPECT_EQ(cluster.certificate_authority_data, "CA");
  EXPECT_EQ(cluster.proxy_url, "http://proxy:3128");
  EXPECT_TRUE(cluster.disable_compression);
  EXPECT_EQ(cluster.exec_config_json, R"({"audience":"x"})");
  EXPECT_TRUE(kubeconfig->clusters.at("other").insecure_skip_tls_verify);

  const KubeconfigUser& user = kubeconfig->users.at("u");
  EXPECT_EQ(user.client_certificate, "/abs/u.crt");
  EXPECT_EQ(user.client_certificate_data, "CERT");
  EXPECT_EQ(user.client_key, "/etc/u.key");
  EXPECT_EQ(user.client_key_data, "KEY");
  EXPECT_EQ(user.token, "t");
  EXPECT_EQ(user.token_file, "/etc/kube/token");
  EXPECT_EQ(user.username + user.password, "nnp");
  EXPECT_EQ(user.as.user + user.as.uid, "jane7");
  EXPECT_THAT(user.as.groups, ElementsAre("dev"));
  EXPECT_THAT(user.as.extra.at("scope"), ElementsAre("a", "b"));

  const KubeconfigUser& exec = kubeconfig->users.at("e");
  ASSERT_TRUE(exec.exec);
  EXPECT_EQ(exec.exec->command.program, "/etc/kube/login");
  EXPECT_THAT(exec.exec->command.arguments, ElementsAre("--now"));
  EXPECT_EQ(exec.exec->command.environment[0].second, "b");
  EXPECT_EQ(exec.exec->interactive_mode, "IfAvailable");
  EXPECT_EQ(exec.exec->install_hint, "Install it.");
  EXPECT_TRUE(exec.exec_wants_cluster_info);
  EXPECT_EQ(kubeconfig->users.at("g").auth_provider, "gcp");
}

TEST(Kubeconfig, MayBeJsonOrEmpty) {
  Result<Kubeconfig> json = ParseKubeconfig(R"({"clusters":[{"name":"a","cluster":{"server":"https://b"}}]})", "/");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->clusters.at("a").server, "https://b");
  EXPECT_TRUE(ParseKubeconfig("", "/")->clusters.empty());
}

TEST(Kubeconfig, ErrorsNameTheFieldAndNoSecret) {
  for (std::string_view text : {
           "users: [{name: a, user: {client-key-data: '%secret%'}}]",
           "users: [{name: a, user: {token: [secret]}}]",
           "users: [{name: a, user: {token: secret}}, {name: a, user: {token: secret}}]",
           "users: secret",
           "clusters: [{name: a, cluster: {insecure-skip-tls-verify: secret}}]",
           "kind: Pod",
           "- a",
       }) {
    SCOPED_TRACE(text);
    Result<Kubeconfig> kubeconfig = ParseKubeconfig(text, "/");
    ASSERT_FALSE(kubeconfig);
    EXPECT_THAT(kubeconfig.error().message, Not(HasSubstr("secret")));
  }
  EXPECT_THAT(ParseKubeconfig("users: [{name: a, user: {client-key-data: '%'}}]", "/").error().message,
              HasSubstr("client-key-data: illegal base64 data"));
}

TEST(Kubeconfig, AFileThatIsMissingOrWrongIsAnError) {
  runtime::TestDirectory directory;
  std::string missing = directory.path() + "/absent";
  EXPECT_EQ(LoadKubeconfig(missing).error().message, "stat " + missing + ": no such file or directory");
  std::string wrong = directory.Write("wrong", "a: [");
  EXPECT_THAT(LoadKubeconfig(wrong).error().message, HasSubstr("error loading config file \"" + wrong + "\": "));
  EXPECT_EQ(LoadKubeconfig(directory.path()).error().message,
            "error loading config file \"" + directory.path() + "\": read " + directory.path() + ": is a directory");
}

}  // namespace
}  // namespace berth::client
