// SPDX-License-Identifier: Apache-2.0
#include "api/decode/object_stream.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

// The kinds and names in the manifest `yaml`, or the error.
std::string Flattened(std::string_view yaml) {
  const Result<std::vector<Document>> documents = ParseYaml(yaml);
  if (!documents) return documents.error().message;
  const Result<std::vector<ManifestObject>> objects = FlattenManifests(*documents);
  if (!objects) return objects.error().message;
  std::string text;
  for (const ManifestObject& object : *objects) {
    text += object.api_version + " " + object.kind + " " + std::string(object.value["metadata"]["name"].text()) + "\n";
  }
  return text;
}

TEST(ObjectStream, FlattensDocumentsAndLists) {
  struct Case {
    const char* name;
    const char* yaml;
    const char* objects;
  };
  const Case kCases[] = {
      {"documents",
       "{apiVersion: v1, kind: Pod, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Node, metadata: {name: b}}",
       "v1 Pod a\nv1 Node b\n"},
      {"list",
       "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n"
       "- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: b}}\n",
       "v1 Pod a\napps/v1 ReplicaSet b\n"},
      {"typed list",
       "apiVersion: storage.k8s.io/v1\nkind: CSINodeList\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n",
       "storage.k8s.io/v1 CSINode a\nstorage.k8s.io/v1 CSINode b\n"},
      {"list in a list",
       "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: PodList, items: [{metadata: {name: a}}]}\n",
       "v1 Pod a\n"},
      {"empty list", "{apiVersion: v1, kind: List, items: []}", ""},
      {"list without items", "{apiVersion: v1, kind: List}", ""},
      {"typed list of null", "{apiVersion: v1, kind: PodList, items: null, metadata: {name: x}}", "v1 PodList x\n"},
      {"bare array", "[{apiVersion: v1, kind: Pod, metadata: {name: a}}]", "v1 Pod a\n"},
      {"kind that only sounds like a list", "{apiVersion: x/v1, kind: AllowList, metadata: {name: a}}",
       "x/v1 AllowList a\n"},
  };

  for (const Case& test : kCases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(Flattened(test.yaml), test.objects);
  }
}

TEST(ObjectStream, RefusesWhatIsNoObject) {
  EXPECT_EQ(Flattened("a string"), "line 1: expected an object, found a string");
  EXPECT_EQ(Flattened("{apiVersion: v1, kind: List, items: [{kind: Pod}, 7]}"), "line 1: expected an object, found 7");
  EXPECT_EQ(Flattened("{apiVersion: v1, kind: List, items: {a: b}}"), "line 1: items is not a list");
  EXPECT_EQ(Flattened("metadata: {name: a}"), "line 1: kind is missing");
  EXPECT_EQ(Flattened("{kind: [Pod]}"), "line 1: kind: expected a string, found a list");
}

TEST(ObjectStream, DecodesItemsThatInheritTheirKind) {
  const auto documents = ParseYaml("{apiVersion: v1, kind: NodeList, items: [{metadata: {name: n1}}]}").value();
  const auto objects = FlattenManifests(documents).value();
  ASSERT_EQ(objects.size(), 1U);

  const Result<Object> object = DecodeObject(objects[0]);

  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(KindOf(*object), "Node");
  EXPECT_EQ(MetaOf(*object).name, "n1");
}

}  // namespace
}  // namespace berth::api
