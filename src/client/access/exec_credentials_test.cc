// SPDX-License-Identifier: Apache-2.0
#include "client/access/exec_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/request/test_network.h"

namespace berth::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class TimedRunner final : public CommandRunner {
 public:
  void Run(Command command, Done done) override {
    commands.push_back(std::move(command));
    running.push_back(std::move(done));
  }
  void Print(std::string text, int exit_code = 0) { running.back()(CommandOutput{exit_code, std::move(text)}); }

  std::vector<Command> commands;
  std::vector<Done> running;
};

std::string Credential(const std::string& status) {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" + status + "}";
}

struct CredentialsBench {
  explicit CredentialsBench(ExecConfig exec = Config()) {
    credentials = ExecCredentials(timers, runner, std::move(exec), [this](const ClientIdentity& identity) {
      identities.push_back(identity.certificate_pem + "/" + identity.key_pem);
    });
  }

  static ExecConfig Config() {
    ExecConfig config;
    config.command = Command{"login", {"--now"}, {{"REGION", "x"}}};
    config.api_version = "client.authentication.k8s.io/v1";
    config.interactive_mode = "IfAvailable";
    config.install_hint = "Install login.";
    config.cluster_json = R"({"server":"https://kube"})";
    return config;
  }

  void Get() {
    credentials->Get([this](Result<Authorization> authorization) {
      if (!authorization) return got.push_back("error: " + authorization.error().message);
      version = authorization->version;
      got.push_back(authorization->headers.empty() ? "" : authorization->headers[0].value);
    });
  }

  TestTimers timers;
  TimedRunner runner;
  std::vector<std::string> identities;
  std::vector<std::string> got;
  uint64_t version = 0;
  std::unique_ptr<Credentials> credentials;
};

TEST(ExecCredentials, RunsTheCommandOnceForAllThatWait) {
  CredentialsBench bench;
  bench.Get();
  bench.Get();
  ASSERT_EQ(bench.runner.commands.size(), 1u);
  const Command& command = bench.runner.commands[0];
  EXPECT_EQ(command.program, "login");
  EXPECT_THAT(command.arguments, ElementsAre("--now"));
  EXPECT_EQ(command.environment[0].second, "x");
  EXPECT_EQ(command.environment[1].first, "KUBERNETES_EXEC_INFO");
  EXPECT_EQ(command.environment[1].second, R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
                                           R"("spec":{"cluster":{"server":"https://kube"},"interactive":false}})");

  bench.runner.Print(Credential(R"({"token":"t"})"));
  bench.Get();
  EXPECT_THAT(bench.got, ElementsAre("Bearer t", "Bearer t", "Bearer t"));
  EXPECT_EQ(bench.runner.commands.size(), 1u);
  EXPECT_TRUE(bench.identities.empty());
}

TEST(ExecCredentials, AreFetchedAgainWhenTheyExpire) {
  CredentialsBench bench;
  bench.Get();
  bench.runner.Print(Credential(R"({"token":"t","expirationTimestamp":"2026-01-01T00:01:00Z"})"));
  bench.timers.Advance(Seconds(60));
  bench.Get();
  EXPECT_EQ(bench.runner.commands.size(), 1u);
  bench.timers.Advance(Seconds(1));
  bench.Get();
  EXPECT_EQ(bench.runner.commands.size(), 2u);
  bench.runner.Print(Credential(R"({"token":"u"})"));
  EXPECT_THAT(bench.got, ElementsAre("Bearer t", "Bearer t", "Bearer u"));
}

TEST(ExecCredentials, AreFetchedAgainWhenTheServerRefusesThem) {
  CredentialsBench bench;
  bench.Get();
  bench.runner.Print(Credential(R"({"token":"t"})"));
  uint64_t refused = bench.version;
  bench.credentials->OnUnauthorized(refused);
  bench.credentials->OnUnauthorized(refused);
  ASSERT_EQ(bench.runner.commands.size(), 2u);
  bench.Get();
  bench.runner.Print(Credential(R"({"token":"u"})"));
  bench.credentials->OnUnauthorized(refused);

  EXPECT_EQ(bench.runner.commands.size(), 2u);
  EXPECT_THAT(bench.got, ElementsAre("Bearer t", "Bearer u"));
}

TEST(ExecCredentials, TellOfANewCertificate) {
  CredentialsBench bench;
  bench.Get();
  bench.runner.Print(Credential(R"({"clientCertificateData":"C","clientKeyData":"K"})"));
  bench.credentials->OnUnauthorized(bench.version);
  bench.runner.Print(Credential(R"({"clientCertificateData":"C","clientKeyData":"K"})"));
  bench.credentials->OnUnauthorized(2);
  bench.runner.Print(Credential(R"({"clientCertificateData":"D","clientKeyData":"L"})"));
  EXPECT_THAT(bench.identities, ElementsAre("C/K", "D/L"));
  EXPECT_THAT(bench.got, ElementsAre(""));
}

TEST(ExecCredentials, ErrorsSayWhatIsWrongAndNoSecret) {
  struct Case {
    std::string output;
    int exit_code;
    std::string error;
  };
  for (const Case& item : std::vector<Case>{
           {"secret", 3, "error: exec: executable login failed with exit code 3"},
           {"{secret", 0, "error: decoding stdout: it is neither JSON nor YAML"},
           {"secret", 0, "error: decoding stdout: the object is not an ExecCredential"},
           {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})", 0,
            "error: exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned "
            "version "
            "client.authentication.k8s.io/v1beta1"},
           {Credential("null"), 0, "error: exec plugin didn't return a status field"},
           {Credential("{}"), 0, "error: exec plugin didn't return a token or cert/key pair"},
           {Credential(R"({"clientKeyData":"secret"})"), 0,
            "error: exec plugin returned only certificate or key, not both"},
           {Credential(R"({"token":"secret","expirationTimestamp":"soon"})"), 0,
            "error: decoding stdout: the expirationTimestamp is not a time"},
       }) {
    CredentialsBench bench;
    bench.Get();
    bench.runner.Print(item.output, item.exit_code);
    EXPECT_THAT(bench.got, ElementsAre(item.error));
    EXPECT_THAT(bench.got[0], Not(HasSubstr("secret")));
    bench.Get();
    EXPECT_EQ(bench.runner.commands.size(), 2u);
  }
}

TEST(ExecCredentials, AMissingCommandComesWithItsHint) {
  CredentialsBench bench;
  bench.Get();
  bench.runner.running[0](Fail(Code::kNotFound, "login: no such file or directory"));
  EXPECT_THAT(bench.got, ElementsAre("error: exec: executable login not found\n\nInstall login."));
}

TEST(ExecCredentials, NeverAsksAPerson) {
  ExecConfig config = CredentialsBench::Config();
  config.interactive_mode = "Always";
  CredentialsBench bench(config);
  bench.Get();
  EXPECT_THAT(bench.got,
              ElementsAre("error: exec plugin cannot support interactive mode: standard input is not a terminal"));
  EXPECT_TRUE(bench.runner.commands.empty());
}

TEST(ExecCredentials, MayGoWhileTheCommandRuns) {
  CredentialsBench bench;
  bench.Get();
  bench.credentials.reset();
  bench.runner.Print(Credential(R"({"token":"t"})"));
  EXPECT_TRUE(bench.got.empty());
}

}  // namespace
}  // namespace berth::client
