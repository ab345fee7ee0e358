// SPDX-License-Identifier: Apache-2.0
#include "server/access/account_tokens.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

class Accounts {
 public:
  Accounts() {
    cluster.Create("", "serviceaccounts", "metadata: {name: robot}");
    cluster.Create("", "serviceaccounts", "metadata: {name: clerk}");
  }

  Outcome<std::string> TryIssue(const Json& bound_to = {},
                                std::vector<std::string> audiences = {std::string(kAudience)}) {
    return tokens.Issue({.account = {.ns = "default", .name = "robot"},
                         .audiences = std::move(audiences),
                         .bound_to = bound_to,
                         .id = "an-id",
                         .now = now,
                         .lifetime = Minutes(10)});
  }
  TokenVerdict Verify(std::string_view token, Duration later = {}) {
    return tokens.Verify(token, {std::string(kAudience)}, now + later);
  }

  TestCluster cluster{false};
  AccountTokens tokens{cluster.catalog, cluster.store, "key"};
  Time now{int64_t{1'800'000'000} * 1'000'000'000};
};

TEST(AccountTokens, TellWhoseTheyAre) {
  Accounts accounts;
  const std::string token = *accounts.TryIssue();

  const TokenVerdict verdict = accounts.Verify(token);

  ASSERT_TRUE(verdict.is_known) << verdict.error;
  EXPECT_EQ(verdict.user.name, "system:serviceaccount:default:robot");
  EXPECT_EQ(verdict.user.groups, (std::vector<std::string>{"system:serviceaccounts", "system:serviceaccounts:default",
                                                           "system:authenticated"}));
  EXPECT_EQ(verdict.user.extra.at(std::string(kCredentialId)), std::vector<std::string>{"JTI=an-id"});
}

TEST(AccountTokens, AreGoodForTheirTimeAndAudience) {
  Accounts accounts;
  const std::string token = *accounts.TryIssue();

  EXPECT_TRUE(accounts.Verify(token, Minutes(9)).is_known);
  EXPECT_EQ(accounts.Verify(token, Minutes(10)).error, "service account token has expired");
  EXPECT_FALSE(accounts.tokens.Verify(token, {"other"}, accounts.now).is_known);
  const TokenVerdict elsewhere = accounts.Verify(*accounts.TryIssue({}, {"other"}));
  EXPECT_EQ(elsewhere.error,
            "token audiences [\"other\"] is invalid for the target audiences [\"https://kubernetes.default.svc\"]");
}

// Somebody holds them by a finalizer.
TEST(AccountTokens, EndAMinuteAfterWhatIsToGo) {
  Accounts accounts;
  const auto hold = [](Json& object) {
    object.Make("metadata").Make("finalizers").Append(Json::String("example.com/x"));
  };
  accounts.cluster.Create("", "secrets", "metadata: {name: s}");
  const Json secret{{"apiVersion", Json::String("v1")}, {"kind", Json::String("Secret")}, {"name", Json::String("s")}};
  accounts.now = accounts.cluster.timers.WallNow();
  const std::string bound = *accounts.TryIssue(secret);
  const std::string free = *accounts.TryIssue();

  accounts.cluster.Change("", "secrets", "s", hold);
  accounts.cluster.Delete("", "secrets", "s");
  EXPECT_TRUE(accounts.Verify(bound, Seconds(59)).is_known);
  EXPECT_EQ(accounts.Verify(bound, Seconds(62)).error, "service account token has been invalidated");
  EXPECT_TRUE(accounts.Verify(free, Seconds(62)).is_known);

  accounts.cluster.Change("", "serviceaccounts", "robot", hold);
  accounts.cluster.Delete("", "serviceaccounts", "robot");
  EXPECT_TRUE(accounts.Verify(free, Seconds(59)).is_known);
  EXPECT_EQ(accounts.Verify(free, Seconds(62)).error, "service account default/robot has been deleted");
}

TEST(AccountTokens, EndWithWhatTheyAreBoundTo) {
  Accounts accounts;
  accounts.cluster.Create("", "secrets", "metadata: {name: s}");
  const Json secret{{"apiVersion", Json::String("v1")}, {"kind", Json::String("Secret")}, {"name", Json::String("s")}};
  const std::string bound = *accounts.TryIssue(secret);
  const std::string free = *accounts.TryIssue();
  EXPECT_TRUE(accounts.Verify(bound).is_known);

  accounts.cluster.Delete("", "secrets", "s");
  EXPECT_EQ(accounts.Verify(bound).error, "service account token has been invalidated");
  EXPECT_EQ(accounts.TryIssue(secret).error().message, "secrets \"s\" not found");
  EXPECT_TRUE(accounts.Verify(free).is_known);

  accounts.cluster.Delete("", "serviceaccounts", "robot");
  EXPECT_EQ(accounts.Verify(free).error, "serviceaccounts \"robot\" not found");
  accounts.cluster.Create("", "serviceaccounts", "metadata: {name: robot}");
  EXPECT_FALSE(accounts.Verify(free).is_known);  // Another one of that name.
}

TEST(AccountTokens, CannotBeMadeWithoutTheKey) {
  Accounts accounts;
  const std::string token = *accounts.TryIssue();
  const AccountTokens other(accounts.cluster.catalog, accounts.cluster.store, "another key");

  EXPECT_FALSE(other.Verify(token, {std::string(kAudience)}, accounts.now).is_known);
  for (size_t i = 0; i < token.size(); i += 7) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(accounts.Verify(changed).is_known) << i;
  }
  for (const std::string_view text : {"", ".", "..", "...", "a.b", "a.b.c", "e30.e30.", "e30.e30.e30"}) {
    EXPECT_FALSE(accounts.Verify(text).is_known) << text;
  }
}

TEST(AccountTokens, LastingOnesAreKnownByTheirSecret) {
  Accounts accounts;
  const std::string uid = accounts.cluster.Find("", "serviceaccounts", "robot")->uid();
  const auto token_of = [&](std::string_view account) {
    const std::string claims =
        R"({"iss":"kubernetes/serviceaccount","kubernetes.io/serviceaccount/namespace":"default",)"
        R"("kubernetes.io/serviceaccount/secret.name":"t","kubernetes.io/serviceaccount/service-account.name":")" +
        std::string(account) + R"(","kubernetes.io/serviceaccount/service-account.uid":")" + uid + "\"}";
    std::string text = EncodeBase64(claims);
    text.erase(text.find_last_not_of('=') + 1);
    return "e30." + text + ".c2lnbmF0dXJl";
  };
  EXPECT_EQ(accounts.Verify(token_of("robot")).error, "Token has been invalidated");
  accounts.cluster.Create("", "secrets",
                          "metadata: {name: t, annotations: {kubernetes.io/service-account.name: robot}}\n"
                          "type: kubernetes.io/service-account-token\ndata: {token: " +
                              EncodeBase64(token_of("robot")) + "}");

  const TokenVerdict verdict = accounts.Verify(token_of("robot"));
  EXPECT_EQ(verdict.user.name, "system:serviceaccount:default:robot") << verdict.error;
  EXPECT_EQ(accounts.Verify(token_of("clerk")).error, "Token does not match server's copy");
}

}  // namespace
}  // namespace berth::server
