// SPDX-License-Identifier: Apache-2.0
#include "server/rest/api_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/base64.h"
#include "server/rest/test_exchange.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

using testing::HasSubstr;

// An API server without controllers, asked without sockets.
class Served {
 public:
  using Answer = std::shared_ptr<MemoryAnswer>;

  explicit Served(AccessOptions access = {})
      : cluster_(false),
        server_(cluster_.catalog, cluster_.store, cluster_.objects, cluster_.timers, 1, std::move(access)) {}

  Answer Ask(std::string_view method, std::string_view target, std::string_view body = {},
             std::string_view content_type = "application/json", std::string_view accept = "application/json",
             User user = Administrator()) {
    net::ServerRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"Accept", std::string(accept)}, {"Content-Type", std::string(content_type)}};
    request.body = body;
    auto answer = std::make_shared<MemoryAnswer>();
    server_.Handle(std::move(request), std::make_unique<MemoryExchange>(answer), std::move(user));
    return answer;
  }
  Json AskTree(std::string_view method, std::string_view target, std::string_view body = {}) {
    return ParseTree(Ask(method, target, body)->body).value_or(Json());
  }
  void MakeConfigMap(std::string_view name, std::string_view label = "x") {
    const std::string body = R"({"metadata":{"name":")" + std::string(name) + R"(","labels":{"l":")" +
                             std::string(label) + R"("}},"data":{"a":"1"}})";
    ASSERT_EQ(Ask("POST", kMaps, body)->status, 201);
  }
  void Advance(Duration span) { cluster_.timers.Advance(span); }
  Store& store() { return cluster_.store; }

  static constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

 private:
  TestCluster cluster_;
  ApiServer server_;
};

// `TYPE name` of every event in the body of a watch.
std::vector<std::string> Events(const MemoryAnswer& answer) {
  std::vector<std::string> events;
  size_t begin = 0;
  for (size_t end = answer.body.find('\n'); end != std::string::npos; end = answer.body.find('\n', begin)) {
    const Json event = ParseTree(std::string_view(answer.body).substr(begin, end - begin)).value_or(Json());
    events.push_back(event["type"].text() + " " + event["object"]["metadata"]["name"].text());
    begin = end + 1;
  }
  return events;
}

Json ReviewToken(Served& served, std::string_view token) {
  return served.AskTree("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                        R"({"spec":{"token":")" + std::string(token) + R"("}})")["status"];
}

TEST(ApiServer, KnowsItsOwnTokenAndNoOther) {
  Served served({.token = BearerToken("secret")});
  const Json known = ReviewToken(served, "secret");
  EXPECT_TRUE(known["authenticated"].AsBool());
  EXPECT_EQ(known["user"]["username"].text(), "system:admin");
  for (const std::string_view token : {"secre", "secret2", "SECRET", "x"}) {
    EXPECT_EQ(ReviewToken(served, token).ToText(), R"({"error":"invalid bearer token","user":{}})") << token;
  }

  Served open;
  EXPECT_EQ(ReviewToken(open, "anything").ToText(), R"({"error":"invalid bearer token","user":{}})");
  EXPECT_EQ(open.Ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", "{}")->status, 400);
}

TEST(ApiServer, TokensAreForTheAccountThatIsMeant) {
  Served served;
  const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";
  const std::string uid =
      served.AskTree("POST", accounts, R"({"metadata":{"name":"robot"}})")["metadata"]["uid"].text();
  const auto ask = [&](std::string_view given) {
    return served.Ask("POST", accounts + "/robot/token", R"({"metadata":{"uid":")" + std::string(given) + R"("}})");
  };

  EXPECT_EQ(ask(uid)->status, 201);
  const auto refused = ask("other");
  EXPECT_EQ(refused->status, 409);
  EXPECT_THAT(refused->body,
              HasSubstr("Operation cannot be fulfilled on TokenRequest.authentication.k8s.io \\\"robot\\\": "
                        "the UID in the token request (other) does not match the UID of the service "
                        "account (" +
                        uid + ")"));
}

// Whoever may watch may do nothing else by such a path.
TEST(ApiServer, APathThatAsksForAWatchIsAnsweredWithOne) {
  Served served;
  served.MakeConfigMap("a");
  served.MakeConfigMap("b");
  const std::string maps = "/api/v1/watch/namespaces/default/configmaps";

  for (const std::string_view query : {"", "?watch=false", "?watch=0&watch=1"}) {
    const auto watch = served.Ask("GET", maps + std::string(query));
    EXPECT_EQ(Events(*watch), (std::vector<std::string>{"ADDED a", "ADDED b"})) << query;
    EXPECT_FALSE(watch->has_ended);
  }
  EXPECT_EQ(Events(*served.Ask("GET", maps + "/b")), std::vector<std::string>{"ADDED b"});
  EXPECT_EQ(served.Ask("GET", "/api/v1/watch/namespaces/default/pods/p/log")->status, 404);
}

TEST(ApiServer, PoliciesSeeWhoAsks) {
  Served served;
  const std::string group = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic";
  const auto make = [&](std::string_view kind, std::string_view spec) {
    return served
        .Ask("POST", group + std::string(kind), R"({"metadata":{"name":"p"},"spec":)" + std::string(spec) + "}")
        ->status;
  };
  ASSERT_EQ(make("ies", R"({"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],
      "operations":["*"],"resources":["configmaps"]}]},
      "validations":[{"expression":"request.userInfo.username == 'ann'"}]})"),
            201);
  ASSERT_EQ(make("ybindings", R"({"policyName":"p","validationActions":["Deny"]})"), 201);
  const auto ask = [&](std::string_view method, std::string_view name, std::string_view user) {
    const bool is_apply = method == "PATCH";
    const std::string path = std::string(Served::kMaps) + (method == "POST" ? "" : "/" + std::string(name)) +
                             (is_apply ? "?fieldManager=m" : "");
    const std::string body = method == "DELETE" ? ""
                                                : R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                                                      std::string(name) + R"("}})";
    return served
        .Ask(method, path, body, is_apply ? "application/apply-patch+yaml" : "application/json", "application/json",
             {.name = std::string(user), .uid = {}, .groups = {}, .extra = {}})
        ->status;
  };
  for (const std::string_view method : {"POST", "PATCH"}) {
    EXPECT_EQ(ask(method, "c", "bob"), 422) << method;
    EXPECT_EQ(ask(method, "c", "ann"), 201) << method;
    EXPECT_EQ(ask("DELETE", "c", "bob"), 422);
    EXPECT_EQ(ask("DELETE", "c", "ann"), 200);
  }
}

TEST(ApiServer, AWatchFromTheFutureIsToldToBeginAnew) {
  for (const std::string_view more : {"", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"}) {
    Served served;
    const std::string present = std::to_string(served.store().revision());
    const std::string watch = std::string(Served::kMaps) + "?watch=true" + std::string(more) + "&resourceVersion=";

    const auto future = served.Ask("GET", watch + "4711");
    const Json event = ParseTree(future->body).value_or(Json());
    EXPECT_EQ(event["type"].text(), "ERROR");
    EXPECT_EQ(event["object"]["code"].IntOr(0), 410);
    EXPECT_EQ(event["object"]["reason"].text(), "Expired");
    EXPECT_EQ(event["object"]["message"].text(), "too large resource version: 4711, current: " + present);
    EXPECT_TRUE(future->has_ended);
    EXPECT_FALSE(served.Ask("GET", watch + present)->has_ended);
  }
}

TEST(ApiServer, NamesThatNoJournalHasRoomForAreRefused) {
  Served served;
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const auto create = [&](size_t size) {
    return served.Ask("POST", roles, R"({"metadata":{"name":")" + std::string(size, 'x') + R"("}})");
  };
  EXPECT_EQ(create(0xFFFF)->status, 201);
  const auto refused = create(70'000);
  EXPECT_EQ(refused->status, 422);
  EXPECT_THAT(refused->body, HasSubstr("metadata.name: Too long: may not be more than 65535 bytes"));
}

TEST(ApiServer, ListsArePagedFromOneState) {
  Served served;
  for (const std::string_view name : {"a", "b", "c", "d"}) served.MakeConfigMap(name);

  const Json first = served.AskTree("GET", std::string(Served::kMaps) + "?limit=2");
  served.MakeConfigMap("ab");
  const Json second =
      served.AskTree("GET", std::string(Served::kMaps) + "?limit=2&continue=" + first["metadata"]["continue"].text());

  EXPECT_EQ(first["items"].size(), 2);
  EXPECT_EQ(first["metadata"]["remainingItemCount"].IntOr(0), 2);
  ASSERT_EQ(second["items"].size(), 2);
  EXPECT_EQ(second["items"][size_t{0}]["metadata"]["name"].text(), "c");
  EXPECT_EQ(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
  EXPECT_FALSE(second["metadata"].Has("continue"));
}

TEST(ApiServer, AnExpiredPageSaysHowToGoOn) {
  Served served;
  for (const std::string_view name : {"a", "b", "c"}) served.MakeConfigMap(name);
  const Json first = served.AskTree("GET", std::string(Served::kMaps) + "?limit=2");
  served.MakeConfigMap("d");
  served.store().Forget(served.store().revision());

  const Json expired =
      served.AskTree("GET", std::string(Served::kMaps) + "?limit=2&continue=" + first["metadata"]["continue"].text());
  const Json rest =
      served.AskTree("GET", std::string(Served::kMaps) + "?limit=5&continue=" + expired["metadata"]["continue"].text());

  EXPECT_EQ(expired["code"].IntOr(0), 410);
  EXPECT_EQ(expired["reason"].text(), "Expired");
  EXPECT_EQ(rest["items"].size(), 2);
}

TEST(ApiServer, PagesThatAreAskedForTooLateAreOfTheStateAsItIs) {
  Served served;
  for (const std::string_view name : {"a", "b", "c"}) served.MakeConfigMap(name);
  const Json first = served.AskTree("GET", std::string(Served::kMaps) + "?limit=2");
  const std::string next = std::string(Served::kMaps) + "?limit=2&continue=" + first["metadata"]["continue"].text();
  std::vector<int64_t> codes;
  for (int minute = 1; minute <= 7; ++minute) {
    served.Advance(Minutes(1));
    served.MakeConfigMap("later" + std::to_string(minute));
    codes.push_back(served.AskTree("GET", next)["code"].IntOr(200));
  }

  EXPECT_EQ(codes, (std::vector<int64_t>{200, 200, 200, 200, 200, 410, 410}));
}

TEST(ApiServer, PagesGoOnBehindAnyName) {
  Served served;
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  for (const char* name : {R"(a\"b)", R"(a\\b)", "a\u00e9b"}) {
    const std::string role = std::string(R"({"metadata":{"name":")") + name + R"("},"rules":[]})";
    ASSERT_EQ(served.Ask("POST", roles, role)->status, 201) << name;
  }

  size_t count = 0;
  std::string continues;
  do {
    const Json page = served.AskTree("GET", roles + "?limit=1&continue=" + continues);
    ASSERT_EQ(page["items"].size(), 1) << page.ToText();
    continues = page["metadata"]["continue"].text();
  } while (++count < 10 && !continues.empty());

  EXPECT_EQ(count, 3);
}

TEST(ApiServer, AContinueTokenThatNobodyGaveIsRefused) {
  Served served;
  served.MakeConfigMap("a");
  const auto token = [](std::string_view json) {
    std::string text = EncodeBase64(json);
    text.erase(std::min(text.find('='), text.size()));
    return text;
  };
  const std::tuple<std::string, int64_t, std::string> cases[] = {
      {"!!!!", 400, "continue key is not valid: illegal base64 data at input byte 0"},
      {"abcde", 400, "continue key is not valid: illegal base64 data at input byte 4"},
      {token("{"), 400, "continue key is not valid: "},
      {token(R"({"v":"v2","rv":1,"start":"a"})"), 400, "server does not recognize this encoded version v2"},
      {token(R"({"v":"meta.k8s.io/v1","start":"a"})"), 400, "incorrect encoded start resourceVersion"},
      {token(R"({"v":"meta.k8s.io/v1","rv":1})"), 400, "encoded start key empty (version meta.k8s.io/v1)"},
      {token(R"({"v":"meta.k8s.io/v1","rv":1,"start":"../a"})"), 400, "continue key is not valid: ../a"},
      {token(R"({"v":"meta.k8s.io/v1","rv":1,"start":"default//a"})"), 400, "continue key is not valid: default//a"},
      {token(R"({"v":"meta.k8s.io/v1","rv":999999,"start":"default/a"})"), 410, "continue parameter is too old"},
  };
  for (const auto& [continues, code, message] : cases) {
    SCOPED_TRACE(continues);

    const Json refusal = served.AskTree("GET", std::string(Served::kMaps) + "?limit=1&continue=" + continues);

    EXPECT_EQ(refusal["code"].IntOr(0), code);
    EXPECT_NE(refusal["message"].text().find(message), std::string::npos) << refusal.ToText();
  }
}

TEST(ApiServer, NumbersInTheQueryAreReadAsUpstreamReadsThem) {
  Served served;
  served.MakeConfigMap("a");
  const std::string map = std::string(Served::kMaps) + "/a";
  const std::string maps(Served::kMaps);
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"DELETE", map + "?gracePeriodSeconds=abc", R"(strconv.ParseInt: parsing "abc": invalid syntax)"},
      {"DELETE", map + "?gracePeriodSeconds=", R"(strconv.ParseInt: parsing "": invalid syntax)"},
      {"DELETE", map + "?gracePeriodSeconds=1.5", R"(strconv.ParseInt: parsing "1.5": invalid syntax)"},
      {"DELETE", map + "?gracePeriodSeconds=%22", R"(strconv.ParseInt: parsing "\"": invalid syntax)"},
      {"DELETE", map + "?gracePeriodSeconds=9223372036854775808",
       R"(strconv.ParseInt: parsing "9223372036854775808": value out of range)"},
      {"DELETE", maps + "?limit=x", R"(strconv.ParseInt: parsing "x": invalid syntax)"},
      {"GET", maps + "?limit=+", R"(strconv.ParseInt: parsing " ": invalid syntax)"},
      {"GET", maps + "?timeoutSeconds=1s", R"(strconv.ParseInt: parsing "1s": invalid syntax)"},
      {"GET", "/api/v1/namespaces/default/pods/p/log?tailLines=all",
       R"(strconv.ParseInt: parsing "all": invalid syntax)"},
  };
  for (const auto& [method, target, message] : cases) {
    SCOPED_TRACE(method + " " + target);

    const Json refusal = served.AskTree(method, target);

    EXPECT_EQ(refusal["code"].IntOr(0), 400);
    EXPECT_EQ(refusal["reason"].text(), "BadRequest");
    EXPECT_EQ(refusal["message"].text(), message);
  }
  EXPECT_EQ(served.AskTree("GET", maps + "?limit=%2B1")["items"].size(), 1);
  // No time is the usual time.
  const auto watch = served.Ask("GET", maps + "?watch=&timeoutSeconds=0");
  served.Advance(Seconds(60));
  EXPECT_EQ(watch->status, 200);
  EXPECT_FALSE(watch->has_ended);
  // A time that no clock reaches is a long one.
  const auto longest = served.Ask("GET", maps + "?watch=1&timeoutSeconds=9223372036854775807");
  served.Advance(Seconds(60));
  EXPECT_EQ(longest->status, 200);
  EXPECT_FALSE(longest->has_ended);
  EXPECT_EQ(served.Ask("DELETE", map + "?gracePeriodSeconds=0")->status, 200);
}

TEST(ApiServer, AWatchTellsWhatComesIntoSightAndWhatLeavesIt) {
  Served served;
  served.MakeConfigMap("old", "y");
  const auto watch = served.Ask("GET", std::string(Served::kMaps) + "?watch=true&labelSelector=l%3Dx");

  served.MakeConfigMap("new");
  const auto set_label = [&](std::string_view name, std::string_view value) {
    const std::string patch = R"({"metadata":{"labels":{"l":")" + std::string(value) + R"("}}})";
    EXPECT_EQ(
        served
            .Ask("PATCH", std::string(Served::kMaps) + "/" + std::string(name), patch, "application/merge-patch+json")
            ->status,
        200);
  };
  set_label("old", "x");
  set_label("new", "y");
  set_label("new", "z");
  served.Ask("DELETE", std::string(Served::kMaps) + "/old");
  served.Advance(Seconds(1));

  EXPECT_EQ(Events(*watch), (std::vector<std::string>{"ADDED new", "ADDED old", "DELETED new", "DELETED old"}));
  EXPECT_FALSE(watch->has_ended);
}

TEST(ApiServer, AStreamedListEndsWithABookmark) {
  Served served;
  served.MakeConfigMap("a");

  const auto watch = served.Ask("GET", std::string(Served::kMaps) +
                                           "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                                           "allowWatchBookmarks=true");

  EXPECT_EQ(Events(*watch), (std::vector<std::string>{"ADDED a", "BOOKMARK "}));
  EXPECT_THAT(watch->body, HasSubstr("k8s.io/initial-events-end"));
}

TEST(ApiServer, AWatchFromAForgottenRevisionExpires) {
  Served served;
  served.MakeConfigMap("a");
  served.MakeConfigMap("b");
  served.store().Forget(served.store().revision());

  const auto watch = served.Ask("GET", std::string(Served::kMaps) + "?watch=true&resourceVersion=1");

  EXPECT_EQ(watch->status, 200);
  EXPECT_THAT(watch->body, HasSubstr("too old resource version: 1"));
  EXPECT_TRUE(watch->has_ended);
}

TEST(ApiServer, ASlowClientIsToldTheRestWhenItHasTakenWhatItGot) {
  Served served;
  const auto watch = served.Ask("GET", std::string(Served::kMaps) + "?watch=true");
  watch->pending_bytes = size_t{16} << 20;
  served.MakeConfigMap("a");
  served.Advance(Seconds(1));
  EXPECT_TRUE(Events(*watch).empty());

  watch->pending_bytes = 0;
  watch->on_drained();

  EXPECT_EQ(Events(*watch), (std::vector<std::string>{"ADDED a"}));
}

TEST(ApiServer, AWatchEndsAfterItsTimeout) {
  Served served;
  const auto watch =
      served.Ask("GET", std::string(Served::kMaps) + "?watch=true&timeoutSeconds=5&allowWatchBookmarks=true");

  served.Advance(Seconds(4));
  EXPECT_FALSE(watch->has_ended);
  served.Advance(Seconds(2));

  EXPECT_TRUE(watch->has_ended);
  EXPECT_EQ(Events(*watch), (std::vector<std::string>{"BOOKMARK "}));
}

TEST(ApiServer, AReadOfTheFutureWaitsAndGivesUp) {
  Served served;
  const auto early = served.Ask("GET", std::string(Served::kMaps) + "?resourceVersion=1000000");
  EXPECT_EQ(early->status, 0);

  served.Advance(Seconds(4));

  EXPECT_EQ(early->status, 504);
  EXPECT_THAT(early->body, HasSubstr("Too large resource version"));
}

TEST(ApiServer, UnknownPathsAndMethodsAreRefused) {
  Served served;

  EXPECT_EQ(served.Ask("GET", "/api/v1/namespaces/default/widgets")->status, 404);
  EXPECT_EQ(served.Ask("GET", "/nowhere")->body, "404 page not found\n");
  EXPECT_EQ(served.Ask("PUT", Served::kMaps)->status, 405);
  EXPECT_EQ(served.Ask("GET", "/api/v1/pods?%zz")->status, 400);
  EXPECT_EQ(served.Ask("GET", "/api/v1/nodes", "", "", "application/xml")->status, 406);
  EXPECT_EQ(served.Ask("POST", Served::kMaps, "x", "text/html")->status, 415);
}

TEST(ApiServer, SelectorsThatMakeNoSenseAreRefusedWithUpstreamsTexts) {
  Served served;
  const auto message = [&](std::string_view query) {
    return served.AskTree("GET", "/api/v1/pods?" + std::string(query))["message"].text();
  };

  EXPECT_EQ(message("fieldSelector=spec.foo=bar"), "field label not supported: spec.foo");
  EXPECT_EQ(message("fieldSelector=a"), "invalid selector: 'a'; can't understand 'a'");
  EXPECT_EQ(message("labelSelector=a%20b"),
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(message("labelSelector=a,"), "found '', expected: identifier after ','");
}

TEST(ApiServer, TheVersionIsThereWithASlashToo) {
  Served served;

  EXPECT_EQ(served.Ask("GET", "/version/")->status, 200);
  EXPECT_EQ(served.Ask("GET", "/version/")->body, served.Ask("GET", "/version")->body);
}

TEST(ApiServer, TimeoutsMustMakeSenseButForWatches) {
  Served served;
  const std::string maps(Served::kMaps);

  const Json refused = served.AskTree("GET", maps + "?timeout=invalid");
  EXPECT_EQ(refused["code"].IntOr(0), 400);
  EXPECT_EQ(refused["message"].text(),
            "invalid timeout specified in the request URL - time: invalid duration \"invalid\"");
  EXPECT_EQ(served.Ask("GET", "/apis?timeout=5")->status, 400);
  EXPECT_EQ(served.Ask("GET", maps + "?timeout=5s")->status, 200);
  EXPECT_EQ(served.Ask("GET", maps + "?watch=true&timeout=invalid")->status, 200);
}

TEST(ApiServer, TablesAndMetadataComeInTheVersionThatWasAskedFor) {
  Served served;
  served.MakeConfigMap("a");
  const auto ask = [&](std::string_view as, std::string_view target) {
    const std::string accept = "application/json;g=meta.k8s.io;v=v1beta1;as=" + std::string(as);
    return ParseTree(served.Ask("GET", target, "", "", accept)->body).value_or(Json());
  };

  const Json table = ask("Table", Served::kMaps);
  EXPECT_EQ(table["apiVersion"].text(), "meta.k8s.io/v1beta1");
  EXPECT_EQ(table["rows"][size_t{0}]["object"]["apiVersion"].text(), "meta.k8s.io/v1beta1");
  const Json list = ask("PartialObjectMetadataList", Served::kMaps);
  EXPECT_EQ(list["apiVersion"].text(), "meta.k8s.io/v1beta1");
  EXPECT_EQ(list["items"][size_t{0}]["kind"].text(), "PartialObjectMetadata");
  const std::string protobuf = "application/vnd.kubernetes.protobuf;g=meta.k8s.io;v=v1beta1;as=PartialObjectMetadata";
  const auto answer = served.Ask("GET", std::string(Served::kMaps) + "/a", "", "", protobuf);
  EXPECT_EQ(answer->body.substr(0, 4), std::string_view("k8s\0", 4));
  const std::string unknown = "application/json;g=meta.k8s.io;v=v2;as=Table";
  EXPECT_EQ(served.Ask("GET", Served::kMaps, "", "", unknown)->status, 406);
  EXPECT_EQ(served
                .Ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "{}", "application/json",
                     "application/json;as=Table;v=v1;g=meta.k8s.io")
                ->status,
            406);
}

// Of a watch, each event is one object.
TEST(ApiServer, AWatchShowsMetadataToWhoAsksForThatOfObjects) {
  Served served;
  served.MakeConfigMap("a");
  const std::string watch = std::string(Served::kMaps) + "?watch=1";
  const std::string one = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  const std::string list = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

  const auto shown = served.Ask("GET", watch, "", "", one + ",application/json");

  EXPECT_EQ(Events(*shown), (std::vector<std::string>{"ADDED a"}));
  EXPECT_THAT(shown->body, HasSubstr(R"("kind":"PartialObjectMetadata")"));
  EXPECT_THAT(shown->body, testing::Not(HasSubstr(R"("data")")));
  EXPECT_EQ(served.Ask("GET", Served::kMaps, "", "", one)->status, 406);
  EXPECT_EQ(served.Ask("GET", Served::kMaps, "", "", list)->status, 200);
}

TEST(ApiServer, AScaleIsAppliedAndItsOwnerIsNotedInTheObject) {
  Served served;
  const std::string path = "/apis/apps/v1/namespaces/default/deployments";
  ASSERT_EQ(
      served
          .Ask("POST", path,
               R"({"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":)"
               R"({"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})")
          ->status,
      201);
  const auto apply = [&](std::string_view manager, std::string_view scale) {
    return served.Ask("PATCH", path + "/web/scale?fieldManager=" + std::string(manager), scale,
                      "application/apply-patch+yaml");
  };
  constexpr std::string_view kThree = R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":3}})";
  constexpr std::string_view kFour = R"({"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":4}})";

  const Json scaled = ParseTree(apply("foo&force=true", kThree)->body).value_or(Json());

  EXPECT_EQ(scaled["kind"].text(), "Scale");
  EXPECT_EQ(scaled["spec"]["replicas"].IntOr(0), 3);
  const Json web = served.AskTree("GET", path + "/web");
  EXPECT_EQ(web["spec"]["replicas"].IntOr(0), 3);
  EXPECT_EQ(web["metadata"]["generation"].IntOr(0), 2);
  EXPECT_EQ(web["metadata"]["managedFields"][size_t{0}].ToText(),
            R"({"apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}},)"
            R"("manager":"foo","operation":"Apply","subresource":"scale"})");
  EXPECT_THAT(
      apply("bar", kFour)->body,
      HasSubstr(R"(Apply failed with 1 conflict: conflict with \"foo\" with subresource \"scale\": .spec.replicas)"));
  EXPECT_EQ(apply("foo", kFour)->status, 200);
  EXPECT_THAT(apply("foo", R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":5}})")->body,
              HasSubstr("invalid object type: apps/v1, Kind=Deployment"));
  EXPECT_EQ(served.AskTree("GET", path + "/web/scale")["spec"]["replicas"].IntOr(0), 4);
}

TEST(ApiServer, AnInvalidEventIsNamedByItsKindAloneInBothGroups) {
  Served served;
  const std::string_view bad = R"({"metadata":{"name":"x"},"involvedObject":{"namespace":"other"}})";
  const std::string_view new_bad = R"({"metadata":{"name":"x"},"regarding":{"namespace":"other"}})";

  const Json core = served.AskTree("POST", "/api/v1/namespaces/default/events", bad);
  const Json renamed = served.AskTree("POST", "/apis/events.k8s.io/v1/namespaces/default/events", new_bad);

  for (const Json& status : {core, renamed}) {
    EXPECT_EQ(status["code"].IntOr(0), 422);
    EXPECT_THAT(status["message"].text(), testing::StartsWith("Event \"x\" is invalid: "));
    EXPECT_FALSE(status["details"].Has("group"));
  }
}

TEST(ApiServer, ApprovalsChangeTheConditionsAlone) {
  Served served;
  constexpr std::string_view kRequests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const std::string path = std::string(kRequests) + "/r:1";
  const std::string_view made = R"({"metadata":{"name":"r:1"},"spec":{"request":"eA==","signerName":"a.b/c",)"
                                R"("usages":["client auth"]}})";
  ASSERT_EQ(served.Ask("POST", kRequests, made)->status, 201);
  const auto patch = [&](std::string_view subresource, std::string_view body) {
    const auto answer = served.Ask("PATCH", path + std::string(subresource), body, "application/merge-patch+json");
    return ParseTree(answer->body).value_or(Json());
  };
  constexpr std::string_view kApproved =
      R"({"status":{"conditions":[{"type":"Approved","status":"True","reason":"r"}],"certificate":"eA=="}})";

  EXPECT_FALSE(patch("", kApproved)["status"].Has("conditions"));
  EXPECT_EQ(patch("/status", kApproved)["code"].IntOr(0), 422);
  const Json approved = patch("/approval", kApproved);
  const Json& condition = approved["status"]["conditions"][size_t{0}];
  EXPECT_EQ(condition["type"].text(), "Approved");
  EXPECT_TRUE(condition["lastUpdateTime"].is_string() && condition["lastTransitionTime"].is_string());
  EXPECT_FALSE(approved["status"].Has("certificate"));
  const Json removed = patch("/approval", R"({"status":{"conditions":null}})");
  EXPECT_THAT(removed["message"].text(), HasSubstr("updates may not remove a condition of type \"Approved\""));
  const Json issued = patch("/status", R"({"status":{"certificate":"eA=="}})");
  EXPECT_EQ(issued["status"]["certificate"].text(), "eA==");
  EXPECT_EQ(issued["status"]["conditions"], approved["status"]["conditions"]);
}

TEST(ApiServer, NamesFollowTheRuleOfTheirKind) {
  Served served;
  const auto address = [&](std::string_view name) {
    return served.AskTree("POST", "/apis/networking.k8s.io/v1/ipaddresses",
                          R"({"metadata":{"name":")" + std::string(name) +
                              R"("},"spec":{"parentRef":{"resource":"services","name":"s","namespace":"default"}}})");
  };
  EXPECT_EQ(address("2001:db8::1")["metadata"]["name"].text(), "2001:db8::1");
  EXPECT_EQ(address("10.0.0.1")["metadata"]["name"].text(), "10.0.0.1");
  EXPECT_THAT(address("2001:DB8::2")["message"].text(), HasSubstr("must be in canonical form (\"2001:db8::2\")"));
  EXPECT_THAT(address("x")["message"].text(), HasSubstr("must be a valid IP address"));

  const auto bundle = [&](std::string_view name, std::string_view signer) {
    return served.AskTree("POST", "/apis/certificates.k8s.io/v1/clustertrustbundles",
                          R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":{"signerName":")" +
                              std::string(signer) + R"(","trustBundle":"-----BEGIN CERTIFICATE-----"}})");
  };
  EXPECT_EQ(bundle("a.b:c:d", "a.b/c")["spec"]["signerName"].text(), "a.b/c");
  EXPECT_EQ(bundle("d", "")["metadata"]["name"].text(), "d");
  EXPECT_THAT(bundle("d:e", "")["message"].text(), HasSubstr("without signer name must not have"));
  EXPECT_THAT(bundle("d", "a.b/c")["message"].text(), HasSubstr("must be named with prefix a.b:c:"));
  const Json selected =
      served.AskTree("GET", "/apis/certificates.k8s.io/v1/clustertrustbundles?fieldSelector=spec.signerName%3Da.b/c");
  EXPECT_EQ(selected["items"].size(), 1);
}

TEST(ApiServer, TheRangeOfServicesIsThereAndReady) {
  Served served;

  const Json cidr = served.AskTree("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes");
  EXPECT_EQ(cidr["spec"]["cidrs"][size_t{0}].text(), "10.96.0.0/12");
  EXPECT_EQ(cidr["status"]["conditions"][size_t{0}]["type"].text(), "Ready");
}

TEST(ApiServer, AutoscalersAreTheSameObjectInBothVersions) {
  Served served;
  const std::string v1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
  const std::string v2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
  constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
  const std::string_view target = R"("scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"web"})";

  const Json old =
      served.AskTree("POST", v1, R"({"metadata":{"name":"a"},"spec":{"maxReplicas":5,)" + std::string(target) + "}}");
  EXPECT_EQ(old["apiVersion"].text(), "autoscaling/v1");
  EXPECT_EQ(old["spec"]["targetCPUUtilizationPercentage"].IntOr(0), 80);
  const Json kept = served.AskTree("GET", v2 + "/a");
  EXPECT_EQ(kept["spec"]["metrics"][size_t{0}]["resource"]["target"]["averageUtilization"].IntOr(0), 80);
  EXPECT_EQ(kept["metadata"]["uid"], old["metadata"]["uid"]);

  const std::string_view metrics =
      R"("metrics":[{"type":"Pods","pods":{"metric":{"name":"hits"},"target":{"type":"AverageValue","averageValue":"5"}}}],)"
      R"("behavior":{"scaleDown":{"policies":[{"type":"Pods","value":1,"periodSeconds":60}]}},)";
  ASSERT_EQ(served
                .Ask("POST", v2,
                     R"({"metadata":{"name":"b"},"spec":{"maxReplicas":5,)" + std::string(metrics) +
                         std::string(target) + "}}")
                ->status,
            201);
  const Json shown = served.AskTree("GET", v1 + "/b");
  EXPECT_EQ(shown["metadata"]["annotations"][kMetrics].text(),
            R"([{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"5"}}])");
  EXPECT_FALSE(shown["spec"].Has("metrics"));
  EXPECT_FALSE(shown["spec"].Has("targetCPUUtilizationPercentage"));

  // What is put back unchanged changes nothing.
  const Json before = served.AskTree("GET", v2 + "/b");
  EXPECT_EQ(served.Ask("PUT", v1 + "/b", shown.ToText())->status, 200);
  const Json after = served.AskTree("GET", v2 + "/b");
  EXPECT_EQ(after["spec"], before["spec"]);
  EXPECT_EQ(after["metadata"]["annotations"], before["metadata"]["annotations"]);
  EXPECT_EQ(shown["status"].ToText(), R"({"currentReplicas":0,"desiredReplicas":0})");

  const auto table = served.Ask("GET", v1, "", "", "application/json;g=meta.k8s.io;v=v1;as=Table");
  EXPECT_THAT(table->body, HasSubstr(R"("cells":["a","Deployment/web","cpu: <unknown>/80%")"));
}

TEST(ApiServer, MigrationsAreServed) {
  Served served;
  const std::string path = "/apis/storagemigration.k8s.io/v1/storageversionmigrations";

  EXPECT_EQ(served.Ask("POST", path, R"({"metadata":{"name":"m"},"spec":{"resource":{"resource":"pods"}}})")->status,
            201);
  EXPECT_EQ(served.Ask("POST", path, R"({"metadata":{"name":"n"}})")->status, 422);
  EXPECT_EQ(served.AskTree("GET", path)["items"].size(), 1);
}

TEST(ApiServer, MetricsCountRequestsAndObjects) {
  Served served;
  served.MakeConfigMap("a");

  const std::string text = served.Ask("GET", "/metrics")->body;

  EXPECT_THAT(text, HasSubstr("apiserver_storage_objects{resource=\"configmaps\"} 2"));
  EXPECT_THAT(text, HasSubstr("resource=\"configmaps\",scope=\"namespace\",subresource=\"\",verb=\"POST\""));
}

TEST(ApiServer, WarnsWhoDeletesAJobAndDoesNotSayWhatItsPodsShallDo) {
  const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
  const auto warns = [](const Served::Answer& answer) {
    return std::ranges::any_of(answer->headers, [](const net::Header& header) {
      return header.name == "Warning" && header.value.contains("child pods are preserved by default");
    });
  };
  Served served;
  for (const std::string_view name : {"a", "b", "c", "d"}) {
    const std::string body = R"({"metadata":{"name":")" + std::string(name) +
                             R"("},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a",)"
                             R"("image":"a"}]}}}})";
    ASSERT_EQ(served.Ask("POST", jobs, body)->status, 201);
  }

  EXPECT_TRUE(warns(served.Ask("DELETE", jobs + "/a")));
  EXPECT_FALSE(warns(served.Ask("DELETE", jobs + "/b?propagationPolicy=Background")));
  EXPECT_FALSE(warns(
      served.Ask("DELETE", jobs + "/c", R"({"kind":"DeleteOptions","apiVersion":"v1","orphanDependents":true})")));
  EXPECT_TRUE(warns(served.Ask("DELETE", jobs)));
  EXPECT_FALSE(warns(served.Ask("DELETE", "/api/v1/namespaces/default/replicationcontrollers")));
}

TEST(ApiServer, LooksAtAPatchBeforeItLooksForTheObject) {
  Served served;
  const std::string absent = std::string(Served::kMaps) + "/absent";

  EXPECT_EQ(served.Ask("PATCH", absent, "{", "application/merge-patch+json")->status, 400);
  EXPECT_EQ(served.Ask("PATCH", absent, "{}", "application/merge-patch+json")->status, 404);
}

}  // namespace
}  // namespace berth::server
