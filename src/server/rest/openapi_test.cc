// SPDX-License-Identifier: Apache-2.0
#include "server/rest/openapi.h"

#include <gtest/gtest.h>

#include "server/rest/recorded_answer_test.h"

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
  EXPECT_EQ(Ask(openapi_, "/openapi/v2").status, 0);
}

TEST_F(OpenApiTest, SchemasSayTypesAndMerging) {
  const Json core = Ask(openapi_, "/openapi/v3/api/v1").Tree();
  const Json& schemas = core["components"]["schemas"];

  EXPECT_EQ(schemas["io.k8s.api.core.v1.Pod"]["x-kubernetes-group-version-kind"].ToText(),
            R"([{"group":"","kind":"Pod","version":"v1"}])");
  EXPECT_EQ(schemas["io.k8s.api.core.v1.Container"]["required"].ToText(), R"(["name"])");
  EXPECT_EQ(schemas["io.k8s.api.core.v1.Toleration"]["properties"]["operator"].ToText(),
            R"({"description":"Possible enum values:\n - `\"Equal\"`\n - `\"Exists\"`\n - `\"Gt\"`\n - `\"Lt\"`",)"
            R"("enum":["Equal","Exists","Gt","Lt"],"type":"string"})");
  EXPECT_EQ(schemas["io.k8s.api.core.v1.Container"]["properties"]["ports"].ToText(),
            R"({"items":{"$ref":"#/components/schemas/io.k8s.api.core.v1.ContainerPort"},"type":"array",)"
            R"("x-kubernetes-list-map-keys":["containerPort","protocol"],"x-kubernetes-list-type":"map",)"
            R"("x-kubernetes-patch-merge-key":"containerPort","x-kubernetes-patch-strategy":"merge"})");
  EXPECT_EQ(schemas["io.k8s.api.core.v1.PersistentVolumeSpec"]["properties"]["claimRef"].ToText(),
            R"({"allOf":[{"$ref":"#/components/schemas/io.k8s.api.core.v1.ObjectReference"}],)"
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
void CheckReferences(const Json& at, const Json& schemas) {
  constexpr std::string_view kPrefix = "#/components/schemas/";
  for (const Json& item : at.items()) CheckReferences(item, schemas);
  for (const Json::Member& member : at.members()) {
    CheckReferences(member.value, schemas);
    if (member.name != "$ref") continue;
    EXPECT_TRUE(schemas.Has(std::string_view(member.value.text()).substr(kPrefix.size()))) << member.value.text();
  }
}

TEST_F(OpenApiTest, ReferencesLeadSomewhere) {
  const Json index = Ask(openapi_, "/openapi/v3").Tree();
  for (const Json::Member& entry : index["paths"].members()) {
    SCOPED_TRACE(entry.name);
    const Json document = Ask(openapi_, "/openapi/v3/" + entry.name).Tree();
    CheckReferences(document, document["components"]["schemas"]);
  }
}

}  // namespace
}  // namespace berth::server
