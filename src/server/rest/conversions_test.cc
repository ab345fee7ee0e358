// SPDX-License-Identifier: Apache-2.0
// Custom resources whose versions a webhook converts, from the request to its answer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/rest/api_server.h"
#include "server/rest/test_exchange.h"
#include "server/test_cluster.h"
#include "server/webhooks/test_caller.h"

namespace berth::server {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDefinition = R"(
metadata: {name: ports.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ports, kind: Port}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v2, v1]
      clientConfig: {url: "https://127.0.0.1:1/c"}
  versions:
  - name: v1
    served: true
    storage: true
    selectableFields: [{jsonPath: .hostPort}]
    subresources:
      scale: {specReplicasPath: .spec.ones, statusReplicasPath: .status.ones}
    schema: {openAPIV3Schema: {type: object, properties: {
      hostPort: {type: string}, spec: {type: object, properties: {ones: {type: integer}}}}}}
  - name: v2
    served: true
    storage: false
    selectableFields: [{jsonPath: .host}, {jsonPath: .port}]
    subresources:
      scale: {specReplicasPath: .spec.twos, statusReplicasPath: .status.twos}
    schema: {openAPIV3Schema: {type: object, properties: {
      host: {type: string}, port: {type: string}, color: {type: string, default: blue},
      spec: {type: object, properties: {twos: {type: integer}}}}}}
)";
constexpr std::string_view kV1 = "/apis/example.com/v1/namespaces/default/ports";
constexpr std::string_view kV2 = "/apis/example.com/v2/namespaces/default/ports";

// What a converter of these makes of one of them.
Json Converted(Json object, std::string_view desired) {
  object.Set("apiVersion", desired);
  const std::string joined = std::as_const(object)["hostPort"].text();
  if (desired == "example.com/v2") {
    object.Set("host", joined.substr(0, joined.find(':')));
    object.Set("port", joined.substr(joined.find(':') + 1));
    object.Erase("hostPort");
    if (object.Has("spec")) object.Set("spec", Json{{"twos", std::as_const(object)["spec"]["ones"]}});
  } else {
    object.Set("hostPort", std::as_const(object)["host"].text() + ":" + std::as_const(object)["port"].text());
    for (const std::string_view name : {"host", "port", "color"}) object.Erase(name);
    if (object.Has("spec")) object.Set("spec", Json{{"ones", std::as_const(object)["spec"]["twos"]}});
  }
  return object;
}

class ConvertingServer {
 public:
  using Answer = std::shared_ptr<MemoryAnswer>;

  ConvertingServer() : cluster(false), server_(cluster.catalog, cluster.store, cluster.objects, cluster.timers, 1) {
    cluster.objects.webhooks().SetCaller(caller);
    const Answer made = Ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kDefinition);
    EXPECT_EQ(made->status, 201) << made->body;
  }

  Answer Ask(std::string_view method, std::string_view target, std::string_view body = {},
             std::string_view content_type = "application/yaml") {
    net::ServerRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"Content-Type", std::string(content_type)}};
    request.body = body;
    auto answer = std::make_shared<MemoryAnswer>();
    server_.Handle(std::move(request), std::make_unique<MemoryExchange>(answer));
    return answer;
  }
  void Make(std::string_view name, std::string_view host_port) {
    const Answer made =
        Ask("POST", kV1, "metadata: {name: " + std::string(name) + "}\nhostPort: '" + std::string(host_port) + "'");
    EXPECT_EQ(made->status, 201) << made->body;
  }

  Json Review() { return ParseTree(caller.call().body).value_or(Json()); }
  // Answers the oldest call with these members of the response.
  void Respond(Json response) {
    const Json review = Review();
    response.Set("uid", review["request"]["uid"]);
    const Json full{{"kind", review["kind"]}, {"apiVersion", review["apiVersion"]}, {"response", std::move(response)}};
    Reply(full.ToText());
  }
  void Reply(const std::string& body) {
    caller.Reply(WebhookReply{.status = 200, .content_type = "application/json", .body = body});
  }
  // Does what a converter does; `spoil` may change what it makes.
  void Convert(const std::function<void(Json&)>& spoil = {}) {
    ASSERT_GT(caller.count(), 0u);
    const Json request = Review()["request"];
    Json::List converted;
    for (const Json& object : request["objects"].items()) {
      converted.push_back(Converted(object, request["desiredAPIVersion"].text()));
      if (spoil) spoil(converted.back());
    }
    Respond(Json{{"result", Json{{"status", Json::String("Success")}}},
                 {"convertedObjects", Json::MakeList(std::move(converted))}});
  }
  void ConvertAll() {
    while (caller.count() > 0) Convert();
  }
  void Advance(Duration span) { cluster.timers.Advance(span); }
  Json Stored(std::string_view name) { return cluster.Tree("example.com", "ports", name); }

  TestCaller caller;
  TestCluster cluster;

 private:
  ApiServer server_;
};

Json TreeOf(const ConvertingServer::Answer& answer) { return ParseTree(answer->body).value_or(Json()); }

std::string ShownNames(const Json& list) {
  std::string names;
  for (const Json& item : list["items"].items()) names += item["metadata"]["name"].text() + " ";
  return names;
}

TEST(Conversions, AReadWaitsForTheConverterAndHoldsUpNobodyElse) {
  ConvertingServer server;
  server.Make("a", "one:80");
  EXPECT_EQ(server.caller.count(), 0u);

  const auto read = server.Ask("GET", std::string(kV2) + "/a");

  EXPECT_EQ(read->status, 0);
  EXPECT_EQ(server.Ask("GET", std::string(kV1) + "/a")->status, 200);
  ASSERT_EQ(server.caller.count(), 1u);
  EXPECT_EQ(server.caller.call().target, "/c?timeout=30s");
  EXPECT_EQ(server.caller.call().timeout, Seconds(30));
  const Json review = server.Review();
  EXPECT_EQ(review["kind"].text(), "ConversionReview");
  EXPECT_EQ(review["apiVersion"].text(), "apiextensions.k8s.io/v1");
  EXPECT_EQ(review["request"]["desiredAPIVersion"].text(), "example.com/v2");
  EXPECT_EQ(review["request"]["objects"].size(), 1u);
  EXPECT_EQ(review["request"]["objects"][size_t{0}]["hostPort"].text(), "one:80");

  server.Convert();

  EXPECT_EQ(read->status, 200);
  const Json shown = TreeOf(read);
  EXPECT_EQ(shown["apiVersion"].text(), "example.com/v2");
  EXPECT_EQ(shown["host"].text(), "one");
  EXPECT_EQ(shown["color"].text(), "blue");
  EXPECT_FALSE(shown.Has("hostPort"));
}

TEST(Conversions, WritesAreKeptInOneVersionAndAnsweredInTheOther) {
  ConvertingServer server;

  const auto made = server.Ask("POST", kV2, "metadata: {name: a}\nhost: one\nport: '80'");
  EXPECT_EQ(server.Review()["request"]["desiredAPIVersion"].text(), "example.com/v1");
  server.Convert();
  EXPECT_EQ(server.Stored("a")["hostPort"].text(), "one:80");
  EXPECT_EQ(server.Stored("a")["apiVersion"].text(), "example.com/v1");
  EXPECT_EQ(made->status, 0);
  server.Convert();
  EXPECT_EQ(made->status, 201);
  EXPECT_EQ(TreeOf(made)["host"].text(), "one");

  const auto patched = server.Ask("PATCH", std::string(kV2) + "/a", R"({"port":"81"})", "application/merge-patch+json");
  server.ConvertAll();
  EXPECT_EQ(patched->status, 200) << patched->body;
  EXPECT_EQ(server.Stored("a")["hostPort"].text(), "one:81");
  Json mine = TreeOf(patched);
  mine.Set("host", "two");
  const auto put = server.Ask("PUT", std::string(kV2) + "/a", mine.ToText(), "application/json");
  server.ConvertAll();
  EXPECT_EQ(put->status, 200) << put->body;
  EXPECT_EQ(TreeOf(put)["metadata"]["resourceVersion"], server.Stored("a")["metadata"]["resourceVersion"]);
  EXPECT_EQ(server.Stored("a")["hostPort"].text(), "two:81");

  const auto applied = server.Ask("PATCH", std::string(kV2) + "/b?fieldManager=m",
                                  "apiVersion: example.com/v2\nkind: Port\nmetadata: {name: b}\nhost: x\nport: '1'",
                                  "application/apply-patch+yaml");
  server.ConvertAll();
  EXPECT_EQ(applied->status, 201) << applied->body;
  EXPECT_EQ(server.Stored("b")["hostPort"].text(), "x:1");
}

TEST(Conversions, AWriteThatIsOvertakenWhileItWaitsIsAConflict) {
  ConvertingServer server;
  server.Make("a", "one:80");
  Json mine = Converted(server.Stored("a"), "example.com/v2");
  mine.Set("host", "mine");

  const auto put = server.Ask("PUT", std::string(kV2) + "/a", mine.ToText(), "application/json");
  server.Ask("PATCH", std::string(kV1) + "/a", R"({"hostPort":"theirs:1"})", "application/merge-patch+json");
  server.ConvertAll();

  EXPECT_EQ(put->status, 409);
  EXPECT_EQ(server.Stored("a")["hostPort"].text(), "theirs:1");
}

TEST(Conversions, ListsAreConvertedTogetherAndSelectedAsTheyAreShown) {
  ConvertingServer server;
  server.Make("a", "one:80");
  server.Make("b", "one:8080");
  server.Make("c", "two:80");

  const auto all = server.Ask("GET", kV2);
  EXPECT_EQ(server.Review()["request"]["objects"].size(), 3u);
  server.Convert();
  EXPECT_EQ(ShownNames(TreeOf(all)), "a b c ");
  EXPECT_EQ(TreeOf(all)["items"][size_t{2}]["host"].text(), "two");

  const auto some = server.Ask("GET", std::string(kV2) + "?fieldSelector=host%3Done,port%3D8080");
  server.Convert();
  EXPECT_EQ(ShownNames(TreeOf(some)), "b ");
  EXPECT_EQ(ShownNames(TreeOf(server.Ask("GET", std::string(kV1) + "?fieldSelector=hostPort%3Done:80"))), "a ");

  const auto page = server.Ask("GET", std::string(kV2) + "?limit=1&fieldSelector=host%3Done");
  server.Convert();
  EXPECT_EQ(ShownNames(TreeOf(page)), "a ");
  const auto rest = server.Ask("GET", std::string(kV2) + "?limit=1&fieldSelector=host%3Done&continue=" +
                                          TreeOf(page)["metadata"]["continue"].text());
  server.Convert();
  EXPECT_EQ(ShownNames(TreeOf(rest)), "b ");

  const auto gone = server.Ask("DELETE", std::string(kV2) + "?fieldSelector=host%3Done");
  server.ConvertAll();
  EXPECT_EQ(gone->status, 200);
  EXPECT_EQ(ShownNames(TreeOf(server.Ask("GET", kV1))), "c ");
}

TEST(Conversions, WatchesTellOfWhatTheirVersionShows) {
  ConvertingServer server;
  server.Make("a", "one:80");
  server.Make("b", "two:80");

  const auto watch = server.Ask("GET", std::string(kV2) + "?watch=true&fieldSelector=host%3Done");
  const auto plain = server.Ask("GET", std::string(kV1) + "?watch=true&fieldSelector=hostPort%3Done:81");
  server.Convert();
  EXPECT_THAT(watch->body, HasSubstr(R"("type":"ADDED")"));
  EXPECT_THAT(watch->body, HasSubstr(R"("name":"a")"));
  EXPECT_THAT(watch->body, Not(HasSubstr(R"("name":"b")")));

  // The converter hangs, and that is nobody else's trouble.
  server.Make("c", "one:81");
  server.Advance(Seconds(1));
  EXPECT_THAT(plain->body, HasSubstr(R"("name":"c")"));
  EXPECT_THAT(watch->body, Not(HasSubstr(R"("name":"c")")));
  server.ConvertAll();
  EXPECT_THAT(watch->body, HasSubstr(R"("name":"c")"));

  server.Ask("PATCH", std::string(kV1) + "/a", R"({"hostPort":"two:80"})", "application/merge-patch+json");
  server.Advance(Seconds(1));
  server.ConvertAll();
  const size_t deleted = watch->body.find(R"("type":"DELETED")");
  ASSERT_NE(deleted, std::string::npos);
  EXPECT_THAT(watch->body.substr(deleted), HasSubstr(R"("host":"one")"));
  EXPECT_THAT(watch->body.substr(deleted),
              HasSubstr(R"("resourceVersion":")" + server.Stored("a")["metadata"]["resourceVersion"].text()));
  EXPECT_THAT(watch->body, Not(HasSubstr("ERROR")));

  server.Ask("PATCH", std::string(kV1) + "/c", R"({"metadata":{"labels":{"a":"b"}}})", "application/merge-patch+json");
  server.Advance(Seconds(1));
  server.caller.Reply(Fail(Code::kDeadline, "context deadline exceeded"));
  EXPECT_THAT(watch->body, HasSubstr(R"("type":"ERROR")"));
  EXPECT_TRUE(watch->has_ended);
}

TEST(Conversions, AConverterHasNoSayInWhatAnObjectIs) {
  const auto read = [](const std::function<void(Json&)>& spoil) {
    ConvertingServer server;
    server.Make("a", "one:80");
    const auto answer = server.Ask("GET", std::string(kV2) + "/a");
    server.Convert(spoil);
    return TreeOf(answer);
  };
  const auto message = [&](const std::function<void(Json&)>& spoil) { return read(spoil)["message"].text(); };
  const auto metadata = [](Json& object) -> Json& { return object.Make("metadata"); };
  const std::string start = "conversion webhook for example.com/v1, Kind=Port returned invalid ";

  const Json shown = read([&](Json& object) {
    metadata(object).Set("labels", Json{{"a", Json::String("b")}});
    metadata(object).Set("annotations", Json{{"c", Json::String("d")}});
    metadata(object).Set("finalizers", Json::MakeList({Json::String("example.com/x")}));
    metadata(object).Erase("creationTimestamp");
  });
  EXPECT_EQ(shown["metadata"]["labels"].ToText(), R"({"a":"b"})");
  EXPECT_EQ(shown["metadata"]["annotations"].ToText(), R"({"c":"d"})");
  EXPECT_FALSE(shown["metadata"].Has("finalizers"));
  EXPECT_TRUE(shown["metadata"].Has("creationTimestamp"));

  EXPECT_EQ(message([&](Json& object) { metadata(object).Set("name", "b"); }),
            start + "object: must have the same name: a != b");
  EXPECT_THAT(message([&](Json& object) { metadata(object).Set("uid", "b"); }),
              HasSubstr(start + "object: must have the same UID: "));
  EXPECT_EQ(message([](Json& object) { object.Set("apiVersion", "example.com/v1"); }),
            start + "object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)");
  EXPECT_EQ(message([](Json& object) { object.Set("kind", "Other"); }),
            start + "object at index 0: invalid kind (expected Port, received Other)");
  EXPECT_EQ(message([&](Json& object) { metadata(object).Set("labels", Json{{"a", Json::Int(1)}}); }),
            start + "metadata: metadata.labels[a] must be a string, but is int64 in converted object");
  EXPECT_EQ(message([&](Json& object) { metadata(object).Set("annotations", "x"); }),
            start + "metadata: invalid metadata.annotations of type string in converted object");
  EXPECT_THAT(message([&](Json& object) { metadata(object).Set("labels", Json{{"a b", Json::String("")}}); }),
              HasSubstr(start + "metadata: metadata.labels: Invalid value: \"a b\""));
}

TEST(Conversions, FailuresAreToldInUpstreamsWords) {
  const auto ask = [](const std::function<void(ConvertingServer&)>& reply) {
    ConvertingServer server;
    server.Make("a", "one:80");
    const auto answer = server.Ask("GET", std::string(kV2) + "/a");
    reply(server);
    EXPECT_EQ(answer->status, 500);
    return TreeOf(answer)["message"].text();
  };
  const std::string start = "conversion webhook for example.com/v1, Kind=Port ";
  const Json success{{"status", Json::String("Success")}};

  EXPECT_EQ(ask([](auto& server) { server.caller.Reply(Fail(Code::kDeadline, "context deadline exceeded")); }),
            start + "failed: Post \"https://127.0.0.1:1/c?timeout=30s\": context deadline exceeded");
  EXPECT_EQ(ask([](auto& server) {
              server.caller.Reply(WebhookReply{.status = 404, .content_type = "text/plain", .body = "no"});
            }),
            start + "failed: the server could not find the requested resource");
  EXPECT_EQ(
      ask([](auto& server) { server.Reply("{}"); }),
      start + "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=");
  EXPECT_EQ(
      ask([](auto& server) { server.Reply(R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"})"); }),
      start + "failed: no response provided");
  EXPECT_THAT(
      ask([](auto& server) {
        server.Reply(R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"x"}})");
      }),
      HasSubstr(start + "failed: expected response.uid=\""));
  EXPECT_EQ(ask([](auto& server) { server.Respond(Json{{"result", Json{{"status", Json::String("Failed")}}}}); }),
            start + "failed: response.result.status was 'Failed', not 'Success'");
  EXPECT_EQ(
      ask([](auto& server) {
        server.Respond(Json{{"result", Json{{"status", Json::String("Failed")}, {"message", Json::String("no")}}}});
      }),
      start + "failed: no");
  EXPECT_EQ(ask([&](auto& server) { server.Respond(Json{{"result", success}}); }),
            start + "returned 0 objects, expected 1");
  EXPECT_EQ(ask([&](auto& server) {
              server.Respond(Json{{"result", success}, {"convertedObjects", Json::MakeList({Json::Int(1)})}});
            }),
            start + "returned invalid object at index 0: Object 'Kind' is missing");
}

TEST(Conversions, ScalesAreThoseOfTheVersion) {
  ConvertingServer server;
  server.Ask("POST", kV1, "metadata: {name: a}\nhostPort: 'x:1'\nspec: {ones: 3}");

  const auto read = server.Ask("GET", std::string(kV2) + "/a/scale");
  server.Convert();
  EXPECT_EQ(TreeOf(read)["spec"]["replicas"].IntOr(0), 3);

  const auto scaled =
      server.Ask("PATCH", std::string(kV2) + "/a/scale", R"({"spec":{"replicas":5}})", "application/merge-patch+json");
  server.ConvertAll();
  EXPECT_EQ(TreeOf(scaled)["spec"]["replicas"].IntOr(0), 5) << scaled->body;
  EXPECT_EQ(server.Stored("a")["spec"]["ones"].IntOr(0), 5);
}

TEST(Conversions, DeletionsNeedNone) {
  ConvertingServer server;
  server.Make("a", "one:80");

  EXPECT_EQ(server.Ask("DELETE", std::string(kV2) + "/a")->status, 200);

  EXPECT_EQ(server.caller.count(), 0u);
  EXPECT_TRUE(server.Stored("a").is_null());
}

TEST(Conversions, ManyObjectsAreAskedForInSeveralCalls) {
  ConvertingServer server;
  const std::string host(size_t{900} << 10, 'x');
  for (const std::string_view name : {"a", "b", "c"}) server.Make(name, host + ":1");

  const auto list = server.Ask("GET", kV2);

  EXPECT_EQ(server.caller.count(), 2u);
  server.ConvertAll();
  EXPECT_EQ(ShownNames(TreeOf(list)), "a b c ");
}

TEST(Conversions, TooMuchAtOnceIsRefused) {
  ConvertingServer server;
  const std::string host(size_t{1} << 20, 'x');
  for (int i = 0; i < 33; ++i) server.Make("p" + std::to_string(i), host + ":1");

  const auto list = server.Ask("GET", kV2);
  server.ConvertAll();

  EXPECT_EQ(list->status, 500);
  EXPECT_THAT(TreeOf(list)["message"].text(), HasSubstr("more than 33554432 bytes at once; ask for fewer objects"));
  const auto page = server.Ask("GET", std::string(kV2) + "?limit=2");
  server.ConvertAll();
  EXPECT_EQ(page->status, 200);
}

TEST(Conversions, AdmissionSeesNoOtherVersionThanTheRequests) {
  ConvertingServer server;
  const auto registered = server.Ask(
      "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      R"({metadata: {name: v}, webhooks: [{name: w.example.com, sideEffects: None, admissionReviewVersions: [v1],
          clientConfig: {url: "https://127.0.0.1:1/w"},
          rules: [{operations: ["*"], apiGroups: [example.com], apiVersions: [v1], resources: [ports]}]}]})");
  ASSERT_EQ(registered->status, 201) << registered->body;

  const auto made = server.Ask("POST", kV2, "metadata: {name: a}\nhost: one\nport: '80'");

  EXPECT_EQ(made->status, 403);
  EXPECT_THAT(TreeOf(made)["message"].text(),
              HasSubstr("admission webhook \"w.example.com\": ports.example.com in version v2 cannot be shown in "
                        "version v1: converters are not asked for admission"));
}

TEST(Conversions, PoliciesSeeNoOtherVersionThanTheRequests) {
  ConvertingServer server;
  server.cluster.Create(kPolicyGroup, "validatingadmissionpolicies", R"(
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: ["*"], resources: [ports]}]}
  validations: [{expression: "object.hostPort != 'x:1'"}]
)");
  server.cluster.Create(kPolicyGroup, "validatingadmissionpolicybindings",
                        "metadata: {name: p}\nspec: {policyName: p, validationActions: [Deny]}");

  EXPECT_EQ(server.Ask("POST", kV1, "metadata: {name: a}\nhostPort: 'x:1'")->status, 422);
  const auto made = server.Ask("POST", kV2, "metadata: {name: a}\nhost: x\nport: '1'");

  EXPECT_THAT(TreeOf(made)["message"].text(),
              HasSubstr("ports.example.com in version v2 cannot be shown in version v1: converters are not asked"));
  EXPECT_TRUE(server.Stored("a").is_null());
}

TEST(Conversions, ObjectsOfOtherVersionsAreNotImported) {
  ConvertingServer server;
  const Resource& view = *server.cluster.catalog.Find("example.com", "v2", "ports");

  const Outcome<void> restored = server.cluster.objects.Restore(
      view, TestCluster::Parse(view, "metadata: {name: a, namespace: default}\nhost: x"));

  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().message,
            "ports.example.com \"a\" has to be in version v1, in which objects of its kind are kept");
}

TEST(Conversions, TheClusterItselfWritesNoOtherVersionThanTheOneThatIsKept) {
  ConvertingServer server;
  const Resource& view = *server.cluster.catalog.Find("example.com", "v2", "ports");

  const auto made = server.cluster.TryCreate(view, "metadata: {name: a}\nhost: x");

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("no converter is asked for what the cluster itself writes"));
}

TEST(Conversions, WithoutAWebhookVersionsDifferInNameAgain) {
  ConvertingServer server;
  server.Make("a", "one:80");

  server.Ask("PATCH", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ports.example.com",
             R"({"spec":{"conversion":{"strategy":"None","webhook":null}}})", "application/merge-patch+json");

  EXPECT_EQ(TreeOf(server.Ask("GET", std::string(kV2) + "/a"))["apiVersion"].text(), "example.com/v2");
  EXPECT_EQ(server.caller.count(), 0u);
}

}  // namespace
}  // namespace berth::server
