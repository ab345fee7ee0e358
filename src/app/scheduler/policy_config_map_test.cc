// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/policy_config_map.h"

#include <gtest/gtest.h>

#include <optional>

#include "client/access/credentials.h"
#include "client/request/test_network.h"

namespace berth::scheduler_app {
namespace {

// A question to a server, and what became of it.
struct Question {
  client::TestTransport transport;
  client::TestTimers timers;
  std::unique_ptr<client::Credentials> credentials = client::NoCredentials();
  client::RestClient client{transport, timers, *credentials, {"https://kube", "berth", 0, 0}, nullptr};
  std::optional<Result<std::string>> answer;

  Question() {
    ReadPolicyConfigMap(client, {"kube-system", "policy"},
                        [this](Result<std::string> read) { answer = std::move(read); });
    timers.Advance(Duration{});
  }
  std::string Error() const { return !answer ? "none" : answer->has_value() ? "" : answer->error().message; }
};

TEST(PolicyConfigMap, IsTheTextAtItsKey) {
  Question question;
  EXPECT_EQ(question.transport.last().request.target, "/api/v1/namespaces/kube-system/configmaps/policy");
  EXPECT_EQ(question.transport.last().request.timeout, Seconds(10));

  question.transport.Answer(1, 200, R"({"kind":"ConfigMap","data":{"policy.cfg":"{\"kind\":\"Policy\"}"}})");

  ASSERT_EQ(question.Error(), "");
  EXPECT_EQ(**question.answer, R"({"kind":"Policy"})");
}

TEST(PolicyConfigMap, ErrorsNameIt) {
  Question forbidden;
  forbidden.transport.Answer(
      1, 403,
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no rights","reason":"Forbidden","code":403})",
      {{"Content-Type", "application/json"}});
  EXPECT_EQ(forbidden.Error(), "couldn't get policy config map kube-system/policy: no rights");

  Question unreachable;
  unreachable.transport.Fail(1, Code::kInvalid, "it is gone");
  EXPECT_EQ(unreachable.Error(),
            "couldn't get policy config map kube-system/policy: Get "
            "\"https://kube/api/v1/namespaces/kube-system/configmaps/policy\": it is gone");

  Question garbage;
  garbage.transport.Answer(1, 200, "{");
  EXPECT_TRUE(garbage.Error().starts_with("couldn't get policy config map kube-system/policy: ")) << garbage.Error();
}

TEST(PolicyConfigMap, MissingKeyIsAnError) {
  for (const char* body : {R"({"data":{"other":"x"}})", R"({"data":null})", "{}", R"({"data":{"policy.cfg":7}})"}) {
    Question question;
    question.transport.Answer(1, 200, body);
    EXPECT_EQ(question.Error(), "missing policy config map value at key \"policy.cfg\"") << body;
  }
}

}  // namespace
}  // namespace berth::scheduler_app
