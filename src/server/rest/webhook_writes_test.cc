// SPDX-License-Identifier: Apache-2.0
// Writes that webhooks are asked about, from the request to its answer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "server/rest/api_server.h"
#include "server/rest/test_exchange.h"
#include "server/test_cluster.h"
#include "server/webhooks/test_caller.h"

namespace berth::server {
namespace {

using testing::HasSubstr;

constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kAboutConfigMaps =
    R"("rules":[{"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}])";

// An API server without controllers, and somebody who keeps the calls of webhooks.
class AskingServer {
 public:
  using Answer = std::shared_ptr<MemoryAnswer>;

  AskingServer() : cluster(false), server_(cluster.catalog, cluster.store, cluster.objects, cluster.timers, 1) {
    cluster.objects.webhooks().SetCaller(caller);
  }

  Answer Ask(std::string_view method, std::string_view target, std::string_view body = {},
             std::string_view content_type = "application/json", User user = Administrator()) {
    net::ServerRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"Content-Type", std::string(content_type)}};
    request.body = body;
    auto answer = std::make_shared<MemoryAnswer>();
    server_.Handle(std::move(request), std::make_unique<MemoryExchange>(answer), std::move(user));
    return answer;
  }
  // `more`: members of the webhook besides those that all have.
  void Register(std::string_view kind, std::string_view name, std::string_view more) {
    const Answer answer = TryRegister(kind, name, more);
    ASSERT_EQ(answer->status, 201) << answer->body;
  }
  Answer TryRegister(std::string_view kind, std::string_view name, std::string_view more) {
    Json webhook = ParseTree(R"({"name":"w.example.com","sideEffects":"None","admissionReviewVersions":["v1"],)"
                             R"("clientConfig":{"url":"https://127.0.0.1:1/w"}})")
                       .value();
    const Json members = ParseTree("{" + std::string(more) + "}").value();
    for (const Json::Member& member : members.members()) {
      webhook.Set(member.name, member.value);
    }
    const Json configuration{{"metadata", Json{{"name", Json::String(name)}}}, {"webhooks", Json::MakeList({webhook})}};
    return Ask("POST", "/apis/admissionregistration.k8s.io/v1/" + std::string(kind) + "webhookconfigurations",
               configuration.ToText());
  }
  void Validating(std::string_view more = kAboutConfigMaps) { Register("validating", "v", more); }
  void Mutating(std::string_view name, std::string_view more = kAboutConfigMaps) { Register("mutating", name, more); }

  Answer MakeConfigMap(std::string_view name = "c", std::string_view query = {}) {
    return Ask("POST", std::string(kConfigMaps) + std::string(query),
               R"({"metadata":{"name":")" + std::string(name) + R"("},"data":{"a":"1"}})");
  }
  Json ConfigMap(std::string_view name = "c") { return cluster.Tree("", "configmaps", name); }

  TestCaller caller;
  TestCluster cluster;

 private:
  ApiServer server_;
};

std::string MessageIn(const AskingServer::Answer& answer) {
  return ParseTree(answer->body).value_or(Json())["message"].text();
}

TEST(WebhookWrites, WaitForTheAnswerAndHoldUpNobodyElse) {
  AskingServer asking;
  asking.Validating();

  const auto made = asking.MakeConfigMap();

  ASSERT_EQ(asking.caller.count(), 1);
  EXPECT_EQ(made->status, 0);
  EXPECT_EQ(asking.Ask("GET", kConfigMaps)->status, 200);
  EXPECT_EQ(asking.Ask("POST", "/api/v1/namespaces/default/secrets", R"({"metadata":{"name":"s"}})")->status, 201);
  const WebhookCall& call = asking.caller.call();
  EXPECT_EQ(call.target, "/w?timeout=10s");
  EXPECT_EQ(call.timeout, Seconds(10));
  const Json request = asking.caller.Request();
  EXPECT_EQ(request["kind"].ToText(), R"({"group":"","kind":"ConfigMap","version":"v1"})");
  EXPECT_EQ(request["resource"].ToText(), R"({"group":"","resource":"configmaps","version":"v1"})");
  EXPECT_EQ(request["operation"].text(), "CREATE");
  EXPECT_EQ(request["name"].text(), "c");
  EXPECT_EQ(request["namespace"].text(), "default");
  EXPECT_EQ(request["userInfo"]["username"].text(), "system:admin");
  EXPECT_EQ(request["object"]["data"]["a"].text(), "1");
  EXPECT_TRUE(request["oldObject"].is_null());
  EXPECT_FALSE(request["uid"].text().empty());

  asking.caller.Answer(R"("allowed":true,"warnings":["look out"])");
  EXPECT_EQ(made->status, 201);
  EXPECT_EQ(asking.ConfigMap()["metadata"]["uid"], request["object"]["metadata"]["uid"]);
  const auto warning = std::ranges::find(made->headers, std::string("Warning"), &net::Header::name);
  ASSERT_NE(warning, made->headers.end());
  EXPECT_THAT(warning->value, HasSubstr("look out"));
}

TEST(WebhookWrites, AreRefusedInUpstreamsWords) {
  const std::string post =
      "Internal error occurred: failed calling webhook \"w.example.com\": failed to call webhook: ";
  struct Case {
    Result<WebhookReply> reply;
    std::string message;
  };
  const auto review = [](std::string_view response) -> WebhookReply {
    return {.status = 200, .content_type = "application/json", .body = std::string(response)};
  };
  const Case cases[] = {
      {Fail(Code::kUnavailable, "dial tcp 127.0.0.1:1: connect: connection refused"),
       post + "Post \"https://127.0.0.1:1/w?timeout=10s\": dial tcp 127.0.0.1:1: connect: connection refused"},
      {Fail(Code::kDeadline, "context deadline exceeded"),
       post + "Post \"https://127.0.0.1:1/w?timeout=10s\": context deadline exceeded"},
      {WebhookReply{.status = 404, .content_type = "text/plain", .body = "no"},
       post + "the server could not find the requested resource"},
      {WebhookReply{.status = 200, .content_type = "text/plain", .body = ""},
       post + "0-length response with status code: 200 and content type: text/plain"},
      {review("{}"),
       "Internal error occurred: failed calling webhook \"w.example.com\": received invalid webhook response: webhook "
       "response was absent"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    AskingServer asking;
    asking.Validating();
    const auto made = asking.MakeConfigMap();

    asking.caller.Reply(c.reply);

    EXPECT_EQ(made->status, 500);
    EXPECT_EQ(MessageIn(made), c.message);

    AskingServer lenient;
    lenient.Validating(std::string(kAboutConfigMaps) + R"(,"failurePolicy":"Ignore")");
    const auto let_through = lenient.MakeConfigMap();
    lenient.caller.Reply(c.reply);
    EXPECT_EQ(let_through->status, 201);
  }
}

TEST(WebhookWrites, AreDeniedEvenByWebhooksThatMayFail) {
  AskingServer asking;
  asking.Validating(std::string(kAboutConfigMaps) + R"(,"failurePolicy":"Ignore")");

  const auto plain = asking.MakeConfigMap();
  asking.caller.Deny("not today");
  EXPECT_EQ(plain->status, 400);
  EXPECT_EQ(MessageIn(plain), "admission webhook \"w.example.com\" denied the request: not today");

  const auto coded = asking.MakeConfigMap();
  asking.caller.Answer(R"("allowed":false,"status":{"code":403,"reason":"Forbidden"})");
  EXPECT_EQ(coded->status, 403);
  EXPECT_EQ(MessageIn(coded), "admission webhook \"w.example.com\" denied the request: Forbidden");

  const auto silent = asking.MakeConfigMap();
  asking.caller.Answer(R"("allowed":false)");
  EXPECT_EQ(MessageIn(silent), "admission webhook \"w.example.com\" denied the request without explanation");
  EXPECT_EQ(asking.cluster.Find("", "configmaps", "c"), nullptr);
}

TEST(WebhookWrites, AnswersToSomethingElseAreNone) {
  AskingServer asking;
  asking.Mutating("m");
  const std::string start =
      "Internal error occurred: failed calling webhook \"w.example.com\": received invalid webhook response: ";

  const auto other = asking.MakeConfigMap();
  const std::string uid = asking.caller.Request()["uid"].text();
  asking.caller.Reply(WebhookReply{
      .status = 200,
      .body =
          R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"x","allowed":true}})"});
  EXPECT_EQ(MessageIn(other), start + "expected response.uid=\"" + uid + "\", got \"x\"");

  const auto untyped = asking.MakeConfigMap();
  asking.caller.Answer(R"("allowed":true,"patch":"W10=")");
  EXPECT_EQ(MessageIn(untyped), start + "webhook returned response.patch but not response.patchType");

  const auto broken = asking.MakeConfigMap();
  asking.caller.Patch("{");
  EXPECT_THAT(MessageIn(broken), HasSubstr("received undecodable patch in webhook response: "));

  const auto unfit = asking.MakeConfigMap();
  asking.caller.Patch(R"([{"op":"remove","path":"/data/none"}])");
  EXPECT_EQ(unfit->status, 500);
  EXPECT_EQ(asking.cluster.Find("", "configmaps", "c"), nullptr);
}

TEST(WebhookWrites, EachMutatingWebhookSeesWhatThoseBeforeItMade) {
  AskingServer asking;
  asking.Mutating("a");
  asking.Mutating("b");
  asking.Validating();

  const auto made = asking.MakeConfigMap();
  ASSERT_EQ(asking.caller.count(), 1);
  asking.caller.Patch(R"([{"op":"add","path":"/data/b","value":"2"}])");
  ASSERT_EQ(asking.caller.count(), 1);
  EXPECT_EQ(asking.caller.Request()["object"]["data"].ToText(), R"({"a":"1","b":"2"})");
  asking.caller.Patch(R"([{"op":"remove","path":"/data/a"},{"op":"add","path":"/unknown","value":"x"}])");
  ASSERT_EQ(asking.caller.count(), 1);
  EXPECT_EQ(asking.caller.Request()["object"]["data"].ToText(), R"({"b":"2"})");
  asking.caller.Allow();

  EXPECT_EQ(made->status, 201);
  EXPECT_EQ(asking.ConfigMap()["data"].ToText(), R"({"b":"2"})");
  EXPECT_FALSE(asking.ConfigMap().Has("unknown"));
}

TEST(WebhookWrites, AWebhookThatWantsItSeesTheObjectAgainOnceItHasChanged) {
  AskingServer asking;
  asking.Mutating("a", std::string(kAboutConfigMaps) + R"(,"reinvocationPolicy":"IfNeeded")");
  asking.Mutating("b");

  const auto made = asking.MakeConfigMap();
  asking.caller.Allow();
  asking.caller.Patch(R"([{"op":"add","path":"/data/b","value":"2"}])");
  ASSERT_EQ(asking.caller.count(), 1);
  EXPECT_EQ(asking.caller.Request()["object"]["data"].ToText(), R"({"a":"1","b":"2"})");
  asking.caller.Allow();

  EXPECT_EQ(made->status, 201);
  EXPECT_EQ(asking.caller.count(), 0);
}

// Counts how often it was asked.
void AddCountingPolicy(AskingServer& asking, const std::string& again) {
  asking.cluster.Create(
      kPolicyGroup, "mutatingadmissionpolicies",
      "metadata: {name: p}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: [''], "
      "apiVersions: [v1], operations: [CREATE], resources: [configmaps]}\n  reinvocationPolicy: " +
          again +
          "\n  mutations:\n  - patchType: ApplyConfiguration\n    applyConfiguration:\n      "
          "expression: 'Object{data: {\"n\": (\"n\" in object.data ? object.data.n : \"\") + \"x\"}}'\n");
  asking.cluster.Create(kPolicyGroup, "mutatingadmissionpolicybindings", "metadata: {name: p}\nspec: {policyName: p}");
}

TEST(WebhookWrites, PoliciesAreAskedAgainBehindWebhooksOnlyIfTheyWantIt) {
  for (const std::string again : {"Never", "IfNeeded"}) {
    SCOPED_TRACE(again);
    AskingServer asking;
    AddCountingPolicy(asking, again);
    asking.Mutating("m");

    asking.MakeConfigMap();
    asking.caller.Patch(R"([{"op":"add","path":"/data/b","value":"2"}])");

    EXPECT_EQ(asking.ConfigMap()["data"].ToText(),
              again == "Never" ? R"({"a":"1","b":"2","n":"x"})" : R"({"a":"1","b":"2","n":"xx"})");
  }
}

TEST(WebhookWrites, TheOwnChangeOfAPolicyBringsItNoSecondTurn) {
  AskingServer asking;
  AddCountingPolicy(asking, "IfNeeded");
  asking.Mutating("m");

  asking.MakeConfigMap();
  asking.caller.Allow();

  EXPECT_EQ(asking.ConfigMap()["data"]["n"].text(), "x");
}

TEST(WebhookWrites, GeneratedNamesComeBehindMutatingWebhooksAndStay) {
  AskingServer asking;
  asking.Mutating("m");
  asking.Validating();

  const auto made = asking.Ask("POST", kConfigMaps, R"({"metadata":{"generateName":"c-"}})");
  EXPECT_FALSE(asking.caller.Request()["object"]["metadata"].Has("name"));
  EXPECT_FALSE(asking.caller.Request().Has("name"));
  asking.caller.Allow();
  const std::string name = asking.caller.Request()["object"]["metadata"]["name"].text();
  asking.cluster.timers.Advance(Seconds(3));
  asking.caller.Allow();

  EXPECT_EQ(made->status, 201);
  EXPECT_NE(asking.cluster.Find("", "configmaps", name), nullptr);
}

TEST(WebhookWrites, AreMadeOnTheObjectAsItIsByThen) {
  AskingServer asking;
  ASSERT_EQ(asking.MakeConfigMap()->status, 201);
  asking.Validating();
  const std::string path = std::string(kConfigMaps) + "/c";
  Json mine = asking.ConfigMap();
  mine.Make("data").Set("a", "mine");
  const auto change = [&] {
    asking.cluster.objects.Overwrite(
        *asking.cluster.Find("", "configmaps", "c"),
        [&] {
          Json theirs = asking.ConfigMap();
          theirs.Make("data").Set("b", "theirs");
          return theirs;
        }(),
        false);
  };

  const auto put = asking.Ask("PUT", path, mine.ToText());
  const auto patch = asking.Ask("PATCH", path, R"({"data":{"c":"3"}})", "application/merge-patch+json");
  change();
  asking.caller.Allow();
  EXPECT_EQ(put->status, 409);
  asking.caller.Allow();

  // What was allowed is another object, so the webhook is asked again.
  EXPECT_EQ(patch->status, 0);
  ASSERT_EQ(asking.caller.count(), 1);
  EXPECT_EQ(asking.caller.Request()["object"]["data"].ToText(), R"({"a":"1","b":"theirs","c":"3"})");
  EXPECT_EQ(asking.caller.Request()["oldObject"]["data"].ToText(), R"({"a":"1","b":"theirs"})");
  asking.caller.Allow();
  EXPECT_EQ(patch->status, 200);
  EXPECT_EQ(asking.ConfigMap()["data"].ToText(), R"({"a":"1","b":"theirs","c":"3"})");
}

TEST(WebhookWrites, AreGivenUpWhenTheirTimeIsOver) {
  AskingServer asking;
  asking.Mutating("a");
  asking.Mutating("b", std::string(kAboutConfigMaps) + R"(,"timeoutSeconds":30)");

  const auto made = asking.MakeConfigMap("c", "?timeout=12s");
  EXPECT_EQ(asking.caller.call().timeout, Seconds(10));
  asking.cluster.timers.Advance(Seconds(10));
  asking.caller.Allow();
  EXPECT_EQ(asking.caller.call().timeout, Seconds(2));
  asking.cluster.timers.Advance(Seconds(2));
  asking.caller.Patch(R"([{"op":"add","path":"/data/b","value":"2"}])");
  EXPECT_EQ(made->status, 201) << made->body;

  const auto late = asking.MakeConfigMap("d", "?timeout=5s");
  asking.cluster.timers.Advance(Seconds(5));
  asking.caller.Allow();
  EXPECT_EQ(late->status, 504);
  EXPECT_EQ(MessageIn(late), "Timeout: request did not complete within requested timeout");
}

TEST(WebhookWrites, ConcernTheWebhooksThatMatch) {
  const std::string rules = R"("rules":[{"operations":[OPERATION],"apiGroups":[GROUP],"apiVersions":["*"],)"
                            R"("resources":[RESOURCE],"scope":SCOPE}])";
  struct Case {
    std::string_view operation, group, resource, scope, more;
    bool matches;
  };
  const Case cases[] = {
      {"\"CREATE\"", "\"\"", "\"configmaps\"", "\"*\"", "", true},
      {"\"UPDATE\"", "\"\"", "\"configmaps\"", "\"*\"", "", false},
      {"\"*\"", "\"*\"", "\"*\"", "\"Namespaced\"", "", true},
      {"\"*\"", "\"*\"", "\"*/*\"", "\"Cluster\"", "", false},
      {"\"*\"", "\"apps\"", "\"*\"", "\"*\"", "", false},
      {"\"*\"", "\"\"", "\"configmaps/status\"", "\"*\"", "", false},
      {"\"*\"", "\"\"", "\"*\"", "\"*\"", R"(,"objectSelector":{"matchLabels":{"a":"b"}})", false},
      {"\"*\"", "\"\"", "\"*\"", "\"*\"",
       R"(,"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"default"}})", true},
      {"\"*\"", "\"\"", "\"*\"", "\"*\"",
       R"(,"namespaceSelector":{"matchExpressions":[{"key":"kubernetes.io/metadata.name","operator":"NotIn","values":)"
       R"(["default"]}]})",
       false},
      {"\"*\"", "\"\"", "\"*\"", "\"*\"",
       R"(,"matchConditions":[{"name":"c","expression":"object.data.a == '1' && request.operation == 'CREATE'"}])",
       true},
      {"\"*\"", "\"\"", "\"*\"", "\"*\"", R"x(,"matchConditions":[{"name":"c","expression":"has(object.data.b)"}])x",
       false},
      {"\"*\"", "\"\"", "\"*\"", "\"*\"",
       R"(,"failurePolicy":"Ignore","matchConditions":[{"name":"c","expression":"object.data.b == '1'"}])", false},
  };
  for (const Case& c : cases) {
    std::string more = rules;
    const auto replace = [&](std::string_view name, std::string_view with) {
      more.replace(more.find(name), name.size(), with);
    };
    replace("OPERATION", c.operation);
    replace("GROUP", c.group);
    replace("RESOURCE", c.resource);
    replace("SCOPE", c.scope);
    SCOPED_TRACE(more + std::string(c.more));
    AskingServer asking;
    asking.Validating(more + std::string(c.more));

    const auto made = asking.MakeConfigMap();

    EXPECT_EQ(asking.caller.count(), c.matches ? 1 : 0);
    EXPECT_EQ(made->status, c.matches ? 0 : 201);
  }

  AskingServer strict;
  strict.Validating(std::string(kAboutConfigMaps) +
                    R"(,"matchConditions":[{"name":"c","expression":"object.data.b == '1'"}])");
  const auto refused = strict.MakeConfigMap();
  EXPECT_EQ(refused->status, 403);
  EXPECT_EQ(MessageIn(refused),
            "configmaps \"c\" is forbidden: expression 'object.data.b == '1'' resulted in error: no "
            "such key: b");
}

TEST(WebhookWrites, DryRunsAskOnlyWebhooksWithoutSideEffects) {
  AskingServer asking;
  asking.Validating();
  const auto tried = asking.MakeConfigMap("c", "?dryRun=All");
  EXPECT_TRUE(asking.caller.Request()["dryRun"].AsBool());
  asking.caller.Allow();
  EXPECT_EQ(tried->status, 201);
  EXPECT_EQ(asking.cluster.Find("", "configmaps", "c"), nullptr);

  asking.cluster.objects.Overwrite(
      *asking.cluster.Find("admissionregistration.k8s.io", "validatingwebhookconfigurations", "v"),
      [&] {
        Json old = asking.cluster.Tree("admissionregistration.k8s.io", "validatingwebhookconfigurations", "v");
        old.Make("webhooks").mutable_items()[0].Set("sideEffects", "Some");
        return old;
      }(),
      false);
  const auto refused = asking.MakeConfigMap("c", "?dryRun=All");
  EXPECT_EQ(refused->status, 400);
  EXPECT_EQ(MessageIn(refused), "admission webhook \"w.example.com\" does not support dry run");
}

TEST(WebhookWrites, DeletionsAreAskedAboutOneByOne) {
  AskingServer asking;
  for (const std::string_view name : {"a", "b", "c"}) ASSERT_EQ(asking.MakeConfigMap(name)->status, 201);
  asking.Validating();

  const auto deleted = asking.Ask("DELETE", std::string(kConfigMaps) + "?labelSelector=%21x");
  EXPECT_EQ(asking.caller.Request()["operation"].text(), "DELETE");
  EXPECT_EQ(asking.caller.Request()["oldObject"]["metadata"]["name"].text(), "a");
  EXPECT_TRUE(asking.caller.Request()["object"].is_null());
  asking.caller.Allow();
  EXPECT_EQ(asking.cluster.Find("", "configmaps", "a"), nullptr);
  asking.caller.Allow();
  EXPECT_EQ(deleted->status, 0);
  asking.caller.Deny("it stays");

  EXPECT_EQ(deleted->status, 400);
  EXPECT_NE(asking.cluster.Find("", "configmaps", "c"), nullptr);
  EXPECT_EQ(asking.cluster.Find("", "configmaps", "b"), nullptr);
}

TEST(WebhookWrites, BindingsAndScalesAreSeenAsWhatTheyAre) {
  AskingServer asking;
  asking.cluster.Create("", "pods", "metadata: {name: p}\nspec: {containers: [{name: c, image: i}]}");
  asking.cluster.Create(
      "apps", "deployments",
      "metadata: {name: d}\nspec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: "
      "{labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}");
  asking.Validating(R"("rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["pods/binding",)"
                    R"("deployments/scale"]}])");

  const auto bound = asking.Ask("POST", "/api/v1/namespaces/default/pods/p/binding",
                                R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})");
  EXPECT_EQ(asking.caller.Request()["kind"]["kind"].text(), "Binding");
  EXPECT_EQ(asking.caller.Request()["subResource"].text(), "binding");
  EXPECT_EQ(asking.caller.Request()["object"]["target"]["name"].text(), "n");
  asking.caller.Deny("stay");
  EXPECT_EQ(bound->status, 400);
  EXPECT_EQ(asking.cluster.Find("", "pods", "p")->Field("spec.nodeName"), "");

  const auto scaled = asking.Ask("PATCH", "/apis/apps/v1/namespaces/default/deployments/d/scale",
                                 R"({"spec":{"replicas":3}})", "application/merge-patch+json");
  EXPECT_EQ(asking.caller.Request()["kind"]["kind"].text(), "Scale");
  EXPECT_EQ(asking.caller.Request()["oldObject"]["spec"]["replicas"].IntOr(0), 1);
  asking.caller.Allow();
  EXPECT_EQ(scaled->status, 200);
  EXPECT_EQ(asking.cluster.Tree("apps", "deployments", "d")["spec"]["replicas"].IntOr(0), 3);
}

TEST(WebhookWrites, AreToldOfWithTheirUser) {
  AskingServer asking;
  asking.cluster.Create("", "pods", "metadata: {name: p}\nspec: {containers: [{name: c, image: i}]}");
  asking.cluster.Create(
      "apps", "deployments",
      "metadata: {name: d}\nspec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: "
      "{labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}");
  asking.Validating(R"("rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*/*"]}])");
  struct Case {
    std::string_view method, path, body;
  };
  const Case cases[] = {
      {"POST", kConfigMaps, R"({"metadata":{"name":"c"}})"},
      {"DELETE", "/api/v1/namespaces/default/pods/p", ""},
      {"POST", "/api/v1/namespaces/default/pods/p/binding",
       R"({"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}})"},
      {"POST", "/api/v1/namespaces/default/pods/p/eviction", R"({"metadata":{"name":"p"}})"},
      {"PUT", "/apis/apps/v1/namespaces/default/deployments/d/scale",
       R"({"metadata":{"name":"d","namespace":"default"},"spec":{"replicas":3}})"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    const User ann{.name = "ann", .uid = {}, .groups = {std::string(kMastersGroup)}, .extra = {}};

    asking.Ask(c.method, c.path, c.body, "application/json", ann);

    ASSERT_EQ(asking.caller.count(), 1);
    EXPECT_EQ(asking.caller.Request()["userInfo"]["username"].text(), "ann");
    asking.caller.Deny("no");
  }
}

TEST(WebhookWrites, ServicesLeadToEndpointsThatAreNoPods) {
  const std::string start =
      "Internal error occurred: failed calling webhook \"w.example.com\": failed to call webhook: Post "
      "\"https://hook.default.svc:8443/p?timeout=10s\": ";
  AskingServer asking;
  asking.Validating(std::string(kAboutConfigMaps) +
                    R"(,"clientConfig":{"service":{"namespace":"default","name":"hook","path":"/p","port":8443}})");

  EXPECT_EQ(MessageIn(asking.MakeConfigMap()), start + "service \"hook\" not found");
  asking.cluster.Create("", "services", "metadata: {name: hook}\nspec: {ports: [{name: https, port: 8443}]}");
  EXPECT_EQ(MessageIn(asking.MakeConfigMap()), start + "no endpoints available for service \"hook\"");
  const auto add = [&](std::string_view name, std::string_view more_of_it) {
    asking.cluster.Create("discovery.k8s.io", "endpointslices",
                          "metadata: {name: " + std::string(name) +
                              ", labels: {kubernetes.io/service-name: hook}}\naddressType: IPv4\nports: [{name: https, "
                              "port: 9443}]\nendpoints: [{addresses: [10.1.2.3]" +
                              std::string(more_of_it) + "}]");
  };
  add("of-pods", ", targetRef: {kind: Pod, name: p}");
  EXPECT_EQ(MessageIn(asking.MakeConfigMap()),
            start + "the endpoints of service \"hook\" are simulated pods, on which nothing serves");
  add("by-hand", "");
  asking.MakeConfigMap();
  ASSERT_EQ(asking.caller.count(), 1);
  EXPECT_EQ(asking.caller.call().endpoint.host, "10.1.2.3");
  EXPECT_EQ(asking.caller.call().endpoint.port, 9443);
  EXPECT_EQ(asking.caller.call().server_name, "hook.default.svc");
  EXPECT_EQ(asking.caller.call().host, "hook.default.svc:8443");
}

TEST(WebhookWrites, NoWebhookIsAskedAboutWebhooks) {
  AskingServer asking;
  asking.Validating(R"("rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*/*"]}])");

  EXPECT_EQ(asking.TryRegister("mutating", "m", kAboutConfigMaps)->status, 201);
  EXPECT_EQ(asking.caller.count(), 0);
}

TEST(WebhookWrites, ConfigurationsAreCheckedInUpstreamsWords) {
  struct Case {
    std::string_view more, message;
  };
  const Case cases[] = {
      {R"("name":"w")",
       "webhooks[0].name: Invalid value: \"w\": should be a domain with at least three segments separated by dots"},
      {R"("sideEffects":"Some")",
       "webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\""},
      {R"("timeoutSeconds":31)",
       "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"},
      {R"("admissionReviewVersions":[])",
       "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1"},
      {R"("clientConfig":{"url":"http://x"})",
       "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: "
       "https://host[/path]"},
      {R"("clientConfig":{})", "webhooks[0].clientConfig: Required value: exactly one of url or service is required"},
      {R"("clientConfig":{"service":{"name":"s","namespace":"n","path":"/a//b"}})",
       "webhooks[0].clientConfig.service.path: Invalid value: \"/a//b\": segment[1] may not be empty"},
      {R"("failurePolicy":"x")",
       "webhooks[0].failurePolicy: Unsupported value: \"x\": supported values: \"Fail\", \"Ignore\""},
      {R"("matchConditions":[{"name":"c","expression":"object +"}])", "webhooks[0].matchConditions[0].expression: "},
      {R"("rules":[{"operations":["READ"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"]}])",
       "webhooks[0].rules[0].operations[0]: Unsupported value: \"READ\": supported values: \"*\", \"CONNECT\", "
       "\"CREATE\", \"DELETE\", \"UPDATE\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.more);
    AskingServer asking;

    const auto answer = asking.TryRegister("validating", "v", c.more);

    EXPECT_EQ(answer->status, 422);
    EXPECT_THAT(MessageIn(answer), HasSubstr(std::string(c.message)));
  }
}

TEST(WebhookWrites, NumbersOfWebhooksAreBounded) {
  AskingServer asking;
  const auto configuration = [](std::string_view name, int webhooks) {
    std::string body = R"({"metadata":{"name":")" + std::string(name) + R"("},"webhooks":[)";
    for (int i = 0; i < webhooks; ++i) {
      body += std::string(i > 0 ? "," : "") + R"({"name":"w)" + std::to_string(i) +
              R"(.example.com","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":)" +
              R"("https://127.0.0.1:1/w"},)" + std::string(kAboutConfigMaps) + "}";
    }
    return body + "]}";
  };
  const std::string path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  EXPECT_EQ(asking.Ask("POST", path, configuration("large", 101))->status, 422);
  EXPECT_EQ(asking.Ask("POST", path, configuration("a", 100))->status, 201);
  EXPECT_EQ(asking.Ask("POST", path, configuration("b", 1))->status, 201);

  const auto made = asking.MakeConfigMap();
  EXPECT_EQ(asking.caller.count(), 100);
  for (int i = 0; i < 100; ++i) asking.caller.Allow();
  EXPECT_EQ(asking.caller.count(), 1);
  asking.caller.Allow();
  EXPECT_EQ(made->status, 201);

  for (int i = 2; i < 100; ++i) {
    ASSERT_EQ(asking.Ask("POST", path, configuration("c" + std::to_string(i), 0))->status, 201);
  }
  EXPECT_EQ(asking.Ask("POST", path, configuration("z", 0))->status, 403);
}

}  // namespace
}  // namespace berth::server
