// SPDX-License-Identifier: Apache-2.0
#include "server/rest/discovery.h"

#include <gtest/gtest.h>

#include "api/wire/protobuf.h"
#include "server/rest/test_recorded_answer.h"

namespace berth::server {
namespace {

const net::Header kAggregated{"Accept",
                              "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"};

const Json& Named(const Json& list, std::string_view member, std::string_view name) {
  for (const Json& item : list.items()) {
    if (item[member].text() == name) return item;
  }
  static const Json kNone;
  return kNone;
}

class DiscoveryTest : public testing::Test {
 protected:
  Catalog catalog_;
  Discovery discovery_{catalog_};
};

TEST_F(DiscoveryTest, AggregatedFormSaysEverythingAtOnce) {
  const RecordedAnswer core = Ask(discovery_, "/api?timeout=32s", {kAggregated});
  const RecordedAnswer groups = Ask(discovery_, "/apis", {kAggregated});

  EXPECT_EQ(core.status, 200);
  EXPECT_EQ(core.Header("Content-Type"), "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  EXPECT_EQ(core.Tree()["apiVersion"].text(), "apidiscovery.k8s.io/v2");
  const Json items = core.Tree()["items"];
  EXPECT_EQ(items[size_t{0}]["metadata"].ToText(), "{}");
  EXPECT_EQ(Named(items[size_t{0}]["versions"][size_t{0}]["resources"], "resource", "bindings").ToText(),
            R"({"resource":"bindings","responseKind":{"group":"","kind":"Binding","version":""},"scope":"Namespaced",)"
            R"("singularResource":"binding","verbs":["create"]})");
  const Json tree = groups.Tree();
  const Json& policy = [&]() -> const Json& {
    for (const Json& group : tree["items"].items()) {
      if (group["metadata"]["name"].text() == "policy") return group;
    }
    return tree;
  }();
  EXPECT_EQ(
      policy["versions"].ToText(),
      R"([{"freshness":"Current","resources":[{"resource":"poddisruptionbudgets","responseKind":{"group":"",)"
      R"("kind":"PodDisruptionBudget","version":""},"scope":"Namespaced","shortNames":["pdb"],)"
      R"("singularResource":"poddisruptionbudget","subresources":[{"responseKind":{"group":"",)"
      R"("kind":"PodDisruptionBudget","version":""},"subresource":"status","verbs":["get","patch","update"]}],)"
      R"("verbs":["create","delete","deletecollection","get","list","patch","update","watch"]}],"version":"v1"}])");
}

TEST_F(DiscoveryTest, AClientThatHasTheDocumentIsToldSo) {
  const std::string etag = Ask(discovery_, "/apis", {kAggregated}).Header("Etag");
  const RecordedAnswer again = Ask(discovery_, "/apis", {kAggregated, {"If-None-Match", etag}});

  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
}

TEST_F(DiscoveryTest, OlderFormHasADocumentForEachVersion) {
  EXPECT_EQ(Ask(discovery_, "/api", {{"Host", "127.0.0.1:8080"}}).Tree().ToText(),
            R"({"kind":"APIVersions","serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0",)"
            R"("serverAddress":"127.0.0.1:8080"}],"versions":["v1"]})");
  EXPECT_EQ(Ask(discovery_, "/apis/policy").Tree().ToText(),
            R"({"apiVersion":"v1","kind":"APIGroup","name":"policy","preferredVersion":{"groupVersion":"policy/v1",)"
            R"("version":"v1"},"versions":[{"groupVersion":"policy/v1","version":"v1"}]})");
  const Json groups = Ask(discovery_, "/apis").Tree();
  EXPECT_EQ(groups["kind"].text(), "APIGroupList");
  EXPECT_FALSE(Named(groups["groups"], "name", "apps").is_null());
  const Json core = Ask(discovery_, "/api/v1").Tree();
  EXPECT_EQ(core["groupVersion"].text(), "v1");
  EXPECT_FALSE(core.Has("apiVersion"));
  EXPECT_EQ(Named(core["resources"], "name", "pods/eviction").ToText(),
            R"({"group":"policy","kind":"Eviction","name":"pods/eviction","namespaced":true,"singularName":"",)"
            R"("verbs":["create"],"version":"v1"})");
  EXPECT_EQ(Named(core["resources"], "name", "pods")["storageVersionHash"].text(), "xPOwRZ+Yhw8=");
}

TEST_F(DiscoveryTest, ComesAsProtobufToo) {
  const RecordedAnswer answer =
      Ask(discovery_, "/apis/events.k8s.io/v1", {{"Accept", "application/vnd.kubernetes.protobuf, */*"}});
  const auto document = api::wire::ParseProtobuf(answer.body);

  ASSERT_TRUE(document);
  EXPECT_EQ(answer.Header("Content-Type"), "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(document->root()["groupVersion"].text(), "events.k8s.io/v1");
  EXPECT_TRUE(
      api::wire::IsProtobuf(Ask(discovery_, "/api/v1", {{"Accept", "application/vnd.kubernetes.protobuf"}}).body));
}

TEST_F(DiscoveryTest, UnknownVersionsAreRefusedAndUnknownGroupsLeftToOthers) {
  EXPECT_EQ(Ask(discovery_, "/apis/apps/v9").status, 404);
  EXPECT_EQ(Ask(discovery_, "/api/v9").Tree()["message"].text(), "the server could not find the requested resource");
  EXPECT_EQ(Ask(discovery_, "/apis/nope").status, 0);
  EXPECT_EQ(Ask(discovery_, "/healthz").status, 0);
  EXPECT_EQ(Ask(discovery_, "/apis/apps", {{"Accept", "text/html"}}).status, 406);
  EXPECT_TRUE(discovery_.HasVersion("apps", "v1"));
  EXPECT_FALSE(discovery_.HasVersion("apps", "v2"));
}

}  // namespace
}  // namespace berth::server
