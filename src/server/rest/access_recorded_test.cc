// SPDX-License-Identifier: Apache-2.0
// Compares whom the API server lets do what with what upstream did, recorded by tests/access/record.py, which explains
// the file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "server/access/bootstrap_policy.h"
#include "server/model/test_recording.h"
#include "server/rest/api_server.h"
#include "server/rest/gate.h"
#include "server/rest/test_exchange.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

const std::filesystem::path kRecordings = std::filesystem::path(__FILE__).parent_path() / "../../../tests/access";

TokenFile ReadTokens() {
  std::ostringstream text;
  text << std::ifstream(kRecordings / "tokens.csv").rdbuf();
  return TokenFile::Parse(text.str()).value();
}

// The order of rules says nothing, and what names one credential differs.
Json ShownStatus(Json status) {
  for (const std::string_view name : {"resourceRules", "nonResourceRules"}) {
    if (Json* rules = status.Find(name)) {
      std::ranges::sort(rules->mutable_items(), {}, [](const Json& rule) { return rule.ToText(); });
    }
  }
  for (const std::string_view name : {"userInfo", "user"}) {
    Json* const user = status.Find(name);
    if (user == nullptr) continue;
    if (Json* extra = user->Find("extra")) {
      extra->Erase(kCredentialId);
      if (extra->empty()) user->Erase("extra");
    }
    if (AccountOf((*user)["username"].text())) user->Erase("uid");
  }
  return status;
}

// As text, with several roles that are missing in the order of their names.
std::string AnswerText(const Json& said) {
  std::string text = said.ToText();
  for (const std::string_view begin : {"[clusterrole.", "[role."}) {
    const size_t at = text.find(begin);
    if (at == std::string::npos) continue;
    const size_t end = text.find(']', at);
    std::vector<std::string> roles;
    for (std::string_view part : Split(std::string_view(text).substr(at + 1, end - at - 1), ',')) {
      roles.emplace_back(Trim(part));
    }
    std::ranges::sort(roles);
    text.replace(at + 1, end - at - 1, fmt::format("{}", fmt::join(roles, ", ")));
  }
  return text;
}

class Replay {
 public:
  Replay()
      : server_(cluster_.catalog, cluster_.store, cluster_.objects, cluster_.timers, 1,
                {.users = ReadTokens(), .asks_roles = true, .account_key = "secret"}) {
    EXPECT_TRUE(CreateBootstrapPolicy(cluster_.objects));
    server_.access().Start();
  }

  void Do(const Json& step) {
    const auto answer = Ask(step);
    const Json tree = ParseTree(answer->body).value_or(Json());
    EXPECT_EQ(answer->status, step["code"].IntOr(0)) << answer->body;
    if (const Json* error = step.Find("error")) {
      Json said = error->is_string() ? Json::String(answer->body) : tree;
      if (said.is_map()) said.Erase("metadata");
      EXPECT_EQ(AnswerText(said), AnswerText(*error));
    }
    if (const Json* status = step.Find("status")) {
      Json said = ShownStatus(tree["status"]);
      Json expected = ShownStatus(*status);
      if (const Json* reasons = status->Find("reasons")) {
        const Json reason = Json::String(said["reason"].text());
        EXPECT_NE(std::ranges::find(reasons->items(), reason), reasons->items().end()) << reason.ToText();
        said.Erase("reason");
        expected.Erase("reasons");
      }
      EXPECT_EQ(AnswerText(said), AnswerText(expected));
    }
    if (step.Has("save")) tokens_[step["save"].text()] = tree["status"]["token"].text();
  }

 private:
  std::shared_ptr<MemoryAnswer> Ask(const Json& step) {
    net::ServerRequest request;
    request.method = step["method"].text();
    request.target = step["path"].text();
    request.headers = {{"Accept", "application/json"}};
    if (const Json* body = step.Find("body")) {
      request.body = body->ToText();
      const std::string& type = step["type"].text();
      request.headers.push_back({"Content-Type", type.empty() ? "application/json" : type});
    }
    if (std::string token = step["token"].text(); !token.empty()) {
      if (token.starts_with('$')) token = tokens_[token.substr(1)];
      request.headers.push_back({"Authorization", "Bearer " + token});
    }
    for (const Json& header : step["headers"].items()) {
      request.headers.push_back({header[size_t{0}].text(), header[size_t{1}].text()});
    }
    auto answer = std::make_shared<MemoryAnswer>();
    auto exchange = std::make_unique<MemoryExchange>(answer);
    Outcome<User> user = PassGate(server_.access(), request);
    if (user) {
      server_.Handle(std::move(request), std::move(exchange), *std::move(user));
    } else {
      ApiServer::Refuse(std::move(request), std::move(exchange), user.error());
    }
    return answer;
  }

  TestCluster cluster_{false};
  ApiServer server_;
  std::map<std::string, std::string> tokens_;  // Of service accounts, by the name under which they are kept.
};

TEST(RecordedAccess, IsGivenAndRefusedAsUpstreamDoesIt) {
  const std::vector<Json> steps = ReadRecording("access/recorded.jsonl.gz");
  ASSERT_GT(steps.size(), 1500U);
  Replay replay;
  for (size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE(fmt::format("step {}: {}", i + 1, steps[i].ToText()));
    replay.Do(steps[i]);
  }
}

}  // namespace
}  // namespace berth::server
