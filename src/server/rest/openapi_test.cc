// SPDX-License-Identifier: Apache-2.0
#include "server/rest/openapi.h"

#include <gtest/gtest.h>

#include "server/rest/test_recorded_answer.h"

namespace berth::server {
namespace {

class OpenApiTest : public testing::Test {
 protected:
  std::string AddressOf(std::string_view path) {
    return Ask(openapi_, "/openapi/v3").Tree()["paths"][path]["serverRelativeURL"].text();
  }

  Catalog catalog_;
  OpenApi openapi_{catalog_};
};

TEST_F(OpenApiTest, IndexLeadsToTheDocuments) {
  const RecordedAnswer document = Ask(openapi_, AddressOf("apis/policy/v1"), {{"Accept", "application/json"}});

  EXPECT_EQ(Ask(openapi_, "/openapi/v3").Header("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(document.status, 200);
  EXPECT_EQ(document.Header("Content-Type"), "application/json");
  EXPECT_EQ(document.Header("Cache-Control"), "public, immutable");
  EXPECT_EQ(document.Tree()["openapi"].text(), "3.0.0");
}

TEST_F(OpenApiTest, AWrongDigestIsSentToTheRightOne) {
  const RecordedAnswer answer = Ask(openapi_, "/openapi/v3/apis/policy/v1?hash=ABC");

  EXPECT_EQ(answer.status, 301);
  EXPECT_EQ(answer.Header("Location"), AddressOf("apis/policy/v1"));
  EXPECT_EQ(Ask(openapi_, "/openapi/v3/apis/policy/v1").Header("Cache-Control"), "no-cache, private");
  EXPECT_EQ(Ask(openapi_, "/openapi/v3/apis/nope/v1").status, 404);
  EXPECT_EQ(Ask(openapi_, "/openapi/v1").status, 0);
}

TEST_F(OpenApiTest, SchemasSayTypesAndMerging) {
  const Json core = Ask(openapi_, "/openapi/v3/api/v1").Tree();
  const Json& schemas = core["components"]["schemas"];

  EXPECT_EQ(schemas["io.k8s.api.core.v1.Pod"]["x-kubernetes-group-version-kind"].ToText(),
            R"([{"group":"","kind":"Pod","version":"v1"}])");
  EXPECT_EQ(schemas["io.k8s.api.core.v1.Container"]["required"].ToText(), R"(["name"])");
  const Json& toleration = schemas["io.k8s.api.core.v1.Toleration"]["properties"]["operator"];
  EXPECT_EQ(toleration["enum"].ToText(), R"(["Equal","Exists","Gt","Lt"])");
  EXPECT_TRUE(toleration["description"].text().starts_with("Exists: any value will do"));
  EXPECT_TRUE(toleration["description"].text().ends_with(
      "\n\nPossible enum values:\n - `\"Equal\"`\n - `\"Exists\"`\n - `\"Gt\"`\n - `\"Lt\"`"));
  EXPECT_EQ(schemas["io.k8s.api.core.v1.Container"]["properties"]["ports"].ToText(),
            R"({"description":"Ports that the container listens on. Those with a hostPort must be free on the node.",)"
            R"("items":{"$ref":"#/components/schemas/io.k8s.api.core.v1.ContainerPort"},"type":"array",)"
            R"("x-kubernetes-list-map-keys":["containerPort","protocol"],"x-kubernetes-list-type":"map",)"
            R"("x-kubernetes-patch-merge-key":"containerPort","x-kubernetes-patch-strategy":"merge"})");
  EXPECT_EQ(schemas["io.k8s.api.core.v1.PersistentVolumeSpec"]["properties"]["claimRef"].ToText(),
            R"({"allOf":[{"$ref":"#/components/schemas/io.k8s.api.core.v1.ObjectReference"}],)"
            R"("description":"The claim that it is bound to, or kept for.",)"
            R"("x-kubernetes-map-type":"granular"})");
  EXPECT_EQ(schemas["io.k8s.api.core.v1.Secret"]["properties"]["data"]["additionalProperties"].ToText(),
            R"({"format":"byte","type":"string"})");
}

// What kubectl looks for before it applies anything.
TEST_F(OpenApiTest, OperationsSayTheirKindAndParameters) {
  const Json paths = Ask(openapi_, "/openapi/v3/apis/policy/v1").Tree()["paths"];
  const Json& object = paths["/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets/{name}"];
  const Json& patch = object["patch"];

  EXPECT_EQ(patch["x-kubernetes-group-version-kind"].ToText(),
            R"({"group":"policy","kind":"PodDisruptionBudget","version":"v1"})");
  EXPECT_EQ(patch["operationId"].text(), "patchPolicyV1NamespacedPodDisruptionBudget");
  std::string names;
  for (const Json& parameter : patch["parameters"].items()) names += parameter["name"].text() + " ";
  EXPECT_EQ(names, "dryRun fieldManager fieldValidation force ");
  EXPECT_FALSE(object.Has("post"));
  EXPECT_TRUE(object.Has("delete"));
  EXPECT_TRUE(paths.Has("/apis/policy/v1/poddisruptionbudgets"));
  EXPECT_TRUE(paths.Has("/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets/{name}/status"));
}

// Every reference of a document leads to a schema in it.
void CheckReferences(const Json& at, const Json& schemas, std::string_view prefix) {
  for (const Json& item : at.items()) CheckReferences(item, schemas, prefix);
  for (const Json::Member& member : at.members()) {
    CheckReferences(member.value, schemas, prefix);
    if (member.name != "$ref") continue;
    ASSERT_TRUE(member.value.text().starts_with(prefix)) << member.value.text();
    EXPECT_TRUE(schemas.Has(std::string_view(member.value.text()).substr(prefix.size()))) << member.value.text();
  }
}

TEST_F(OpenApiTest, ReferencesLeadSomewhere) {
  const Json index = Ask(openapi_, "/openapi/v3").Tree();
  for (const Json::Member& entry : index["paths"].members()) {
    SCOPED_TRACE(entry.name);
    const Json document = Ask(openapi_, "/openapi/v3/" + entry.name).Tree();
    CheckReferences(document, document["components"]["schemas"], "#/components/schemas/");
  }
  const Json document = Ask(openapi_, "/openapi/v2").Tree();
  CheckReferences(document, document["definitions"], "#/definitions/");
}

TEST_F(OpenApiTest, TheSecondVersionIsOneDocumentInJsonAndInProtobuf) {
  constexpr std::string_view kProtobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  const RecordedAnswer json = Ask(openapi_, "/openapi/v2", {{"Accept", "application/json"}});
  const RecordedAnswer protobuf = Ask(openapi_, "/openapi/v2", {{"Accept", std::string(kProtobuf)}});

  const Json document = json.Tree();
  EXPECT_EQ(document["swagger"].text(), "2.0");
  const Json& patch = document["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"];
  EXPECT_EQ(patch["x-kubernetes-group-version-kind"].ToText(), R"({"group":"","kind":"Pod","version":"v1"})");
  EXPECT_EQ(document["definitions"]["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]["type"].text(), "string");
  EXPECT_EQ(protobuf.Header("Content-Type"), "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_EQ(protobuf.body.substr(0, 5),
            "\x0A\x03"
            "2.0");
  EXPECT_EQ(Ask(openapi_, "/openapi/v2", {{"If-None-Match", json.Header("Etag")}}).status, 304);
  EXPECT_EQ(Ask(openapi_, "/openapi/v2", {{"Accept", "text/html"}}).status, 406);
}

}  // namespace
}  // namespace berth::server
