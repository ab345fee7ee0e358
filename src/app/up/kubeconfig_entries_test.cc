// SPDX-License-Identifier: Apache-2.0
#include "app/up/kubeconfig_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/access/kubeconfig.h"

namespace berth::up {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kUsers = R"(# mine
users:
- name: me
  user:
    token: '0123'
kind: Config
apiVersion: v1
unknown: {zeta: 1, alpha: [x, 'yes', 2.50]}
clusters:
- name: work
  cluster: {server: "https://work:6443", extra: true}
- name: home
  cluster: {server: "https://home"}
contexts:
- name: work
  context: {cluster: work, user: me, namespace: shop}
current-context: work
)";

KubeconfigContext Mine() { return {"dev", {"http://127.0.0.1:6443", "", "", ""}, 7}; }
bool Never(int64_t) { return false; }

client::Kubeconfig Read(const Result<std::string>& text) { return client::ParseKubeconfig(text.value(), "/").value(); }

// Otherwise `kubectl create -f -` takes its input for a password.
TEST(KubeconfigEntries, HaveSomethingToShowOverTls) {
  const auto token = [](const std::string& server) {
    return Read(AddContext("", {"dev", {server, "", "", ""}, 7}, Never)).users.at("dev").token;
  };

  EXPECT_EQ(token("https://127.0.0.1:6443"), "any");
  EXPECT_EQ(token("http://127.0.0.1:6443"), "");
}

TEST(KubeconfigEntries, OfAnEmptyTextMakeAWholeKubeconfig) {
  const Access access{"https://127.0.0.1:6443", "CERTIFICATE", "berth.test", "secret"};

  const client::Kubeconfig read = Read(AddContext("", {"berth", access, 7}, Never));

  EXPECT_EQ(read.current_context, "berth");
  EXPECT_EQ(read.contexts.at("berth").cluster, "berth");
  EXPECT_EQ(read.clusters.at("berth").server, access.server);
  EXPECT_EQ(read.clusters.at("berth").certificate_authority_data, "CERTIFICATE");
  EXPECT_EQ(read.clusters.at("berth").tls_server_name, "berth.test");
  EXPECT_EQ(read.users.at("berth").token, "secret");
}

TEST(KubeconfigEntries, SayWhereThereIsNothingToVerify) {
  for (const std::string server : {"http://127.0.0.1:6443", "https://127.0.0.1:6443"}) {
    const client::Kubeconfig read = Read(AddContext("", {"berth", {server, "", "", ""}, 7}, Never));

    EXPECT_EQ(read.clusters.at("berth").insecure_skip_tls_verify, server.starts_with("http:"));
  }
}

TEST(KubeconfigEntries, ATokenIsWhatItIsWhateverYamlMightMakeOfIt) {
  for (const char* token : {"0123", "yes", "null", "a: b", "a #b", "'", "\"\\", "{}", "- a", "*a", "!a", "1e3", "~"}) {
    SCOPED_TRACE(token);
    const client::Kubeconfig read = Read(AddContext("", {"berth", {"http://a", "", "", token}, 7}, Never));

    EXPECT_EQ(read.users.at("berth").token, token);
  }
}

TEST(KubeconfigEntries, LeaveEverythingElseAsItIs) {
  const std::string added = AddContext(kUsers, Mine(), Never).value();
  const std::string removed = RemoveContext(added, Mine()).value();

  const client::Kubeconfig with = Read(added);
  EXPECT_EQ(with.current_context, "dev");
  EXPECT_EQ(with.clusters.size(), 3);
  EXPECT_EQ(with.users.at("me").token, "0123");
  const client::Kubeconfig without = Read(removed);
  EXPECT_EQ(without.current_context, "work");
  EXPECT_EQ(without.clusters.size(), 2);
  EXPECT_EQ(without.contexts.size(), 1);
  for (const std::string& text : {added, removed}) {
    EXPECT_THAT(text, HasSubstr("extra: true"));
    EXPECT_THAT(text, HasSubstr("namespace: shop"));
    EXPECT_THAT(text, HasSubstr("- x\n  - \"yes\"\n"));
    EXPECT_LT(text.find("https://work"), text.find("https://home"));
  }
  EXPECT_THAT(removed, Not(HasSubstr("dev")));
}

TEST(KubeconfigEntries, OfOthersAreNotTouched) {
  KubeconfigContext theirs = Mine();
  theirs.name = "work";
  EXPECT_THAT(AddContext(kUsers, theirs, Never).error().message, HasSubstr("not Berth's"));
  theirs.name = "home";  // Only a cluster.
  EXPECT_THAT(AddContext(kUsers, theirs, Never).error().message, HasSubstr("not Berth's"));

  const std::string added = AddContext(kUsers, Mine(), Never).value();
  KubeconfigContext other = Mine();
  other.process = 8;
  EXPECT_THAT(AddContext(added, other, [](int64_t process) { return process == 7; }).error().message,
              HasSubstr("process 7"));
  EXPECT_EQ(RemoveContext(added, other).value(), added);
}

TEST(KubeconfigEntries, OfOneThatWasKilledAreReplacedAndTheContextBeforeItComesBack) {
  KubeconfigContext other = Mine();
  other.process = 8;
  other.access.server = "http://127.0.0.1:7000";

  const std::string again = AddContext(AddContext(kUsers, Mine(), Never).value(), other, Never).value();

  EXPECT_EQ(Read(again).clusters.size(), 3);
  EXPECT_EQ(Read(again).clusters.at("dev").server, other.access.server);
  EXPECT_EQ(Read(RemoveContext(again, other)).current_context, "work");
}

TEST(KubeconfigEntries, ACurrentContextThatTheUserChoseStays) {
  std::string text = AddContext(kUsers, Mine(), Never).value();
  const std::string_view current = "current-context: dev";
  text.replace(text.find(current), current.size(), "current-context: other");

  EXPECT_EQ(Read(RemoveContext(text, Mine())).current_context, "other");
}

TEST(KubeconfigEntries, WhatIsNoKubeconfigIsRefused) {
  for (const char* text : {"kind: Pod", "[]", "a", "clusters: {}", "{", "a: b\n---\nc: d", "\tx"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(AddContext(text, Mine(), Never).has_value());
    EXPECT_FALSE(HoldsOthers(text, "berth"));
  }
}

TEST(KubeconfigEntries, SayWhetherThereAreOthers) {
  const std::string own = AddContext("", {"berth", {"http://a", "", "", ""}, 7}, Never).value();

  EXPECT_FALSE(HoldsOthers("", "berth"));
  EXPECT_FALSE(HoldsOthers(own, "berth"));
  EXPECT_TRUE(HoldsOthers(kUsers, "berth"));
  EXPECT_TRUE(HasContext(own, "berth"));
  EXPECT_FALSE(HasContext(kUsers, "berth"));
}

}  // namespace
}  // namespace berth::up
