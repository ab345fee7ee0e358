// SPDX-License-Identifier: Apache-2.0
#include "server/store/dump.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/store/test_objects.h"

namespace berth::server {
namespace {

using Strings = std::vector<std::string>;

Dump Read(const Catalog& catalog, std::string_view text) {
  Result<Dump> dump = ReadDump(catalog, text);
  if (dump) return *std::move(dump);
  ADD_FAILURE() << dump.error().message;
  return {};
}

std::string WrittenText(const std::vector<Json>& objects) {
  std::string text;
  DumpWriter writer([&](std::string_view piece) { text += piece; });
  for (const Json& object : objects) writer.Add(object);
  writer.End();
  return text;
}

Strings Names(const Dump& dump) {
  Strings names;
  for (const Dump::Entry& entry : dump.objects) {
    names.push_back(entry.object["kind"].text() + " " + entry.object["metadata"]["name"].text());
  }
  return names;
}

constexpr std::string_view kList = R"(apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: web
    namespace: shop
    uid: 0c5bd1b4-92a9-4a8c-8f7e-cf0d5bd4c3a7
    resourceVersion: "123"
    creationTimestamp: "2026-01-01T00:00:00Z"
    managedFields:
    - manager: kubectl
      operation: Update
      apiVersion: v1
      time: "2026-01-01T00:00:00Z"
      fieldsType: FieldsV1
      fieldsV1:
        f:spec: {}
  spec:
    containers:
    - name: main
      image: web:1
      resources: {}
  status:
    phase: Running
- apiVersion: v1
  kind: Node
  metadata:
    name: node-1
  spec: {}
  status: {}
- apiVersion: example.com/v1
  kind: Boat
  metadata:
    name: ferry
    namespace: sea
- apiVersion: v1
  kind: Namespace
  metadata:
    name: shop
kind: List
metadata:
  resourceVersion: ""
)";

TEST(Dump, ComesInTheOrderOfLoading) {
  const Catalog catalog;
  const Dump dump = Read(catalog, kList);

  EXPECT_EQ(Names(dump), (Strings{"Namespace shop", "Node node-1", "Pod web"}));
  EXPECT_EQ(dump.namespaces, std::set<std::string>{"shop"});
  EXPECT_EQ(dump.skipped, Strings{"example.com/v1 Boat sea/ferry"});
}

TEST(Dump, KeepsWhatTheServerGaveExceptTheRevision) {
  const Catalog catalog;
  const Dump dump = Read(catalog, kList);
  ASSERT_EQ(dump.objects.size(), 3);

  const Dump::Entry& pod = dump.objects[2];
  const Json& metadata = pod.object["metadata"];
  EXPECT_EQ(pod.resource, &catalog.Get("", "pods"));
  EXPECT_EQ(metadata["uid"].text(), "0c5bd1b4-92a9-4a8c-8f7e-cf0d5bd4c3a7");
  EXPECT_EQ(metadata["creationTimestamp"].text(), "2026-01-01T00:00:00Z");
  EXPECT_EQ(metadata["managedFields"][size_t{0}]["manager"].text(), "kubectl");
  EXPECT_EQ(pod.object["status"]["phase"].text(), "Running");
  EXPECT_FALSE(metadata.Has("resourceVersion"));
}

TEST(Dump, ReadsJsonAndTypedListsAndSeveralDocuments) {
  const Catalog catalog;

  EXPECT_EQ(Names(Read(catalog, R"({"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},)"
                                R"({"metadata":{"name":"b"}}]})")),
            (Strings{"Node a", "Node b"}));
  EXPECT_EQ(Names(Read(catalog,
                       "kind: Node\napiVersion: v1\nmetadata: {name: a}\n---\n"
                       "kind: Namespace\napiVersion: v1\nmetadata: {name: b}\n")),
            (Strings{"Namespace b", "Node a"}));
  EXPECT_EQ(Names(Read(catalog, "")), Strings{});
}

TEST(Dump, OfTwoObjectsOfANameTheLastCounts) {
  const Catalog catalog;
  const Dump dump = Read(catalog,
                         "kind: Node\napiVersion: v1\nmetadata: {name: a, uid: first}\n---\n"
                         "kind: Node\napiVersion: v1\nmetadata: {name: a, uid: second}\n");

  ASSERT_EQ(dump.objects.size(), 1);
  EXPECT_EQ(dump.objects[0].object["metadata"]["uid"].text(), "second");
}

TEST(Dump, ErrorNamesTheObject) {
  const Catalog catalog;

  const Result<Dump> nameless = ReadDump(catalog, "kind: Node\napiVersion: v1\n");
  ASSERT_FALSE(nameless);
  EXPECT_EQ(nameless.error().message, "v1 Node : metadata.name is missing");
  const Result<Dump> wrong =
      ReadDump(catalog, "kind: Node\napiVersion: v1\nmetadata: {name: a}\nspec: {taints: none}\n");
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().message.starts_with("v1 Node a: ")) << wrong.error().message;
}

TEST(Dump, IsWrittenAsKubectlWritesIt) {
  EXPECT_EQ(WrittenText({TestNamespace("a")}),
            "apiVersion: v1\n"
            "items:\n"
            "- apiVersion: v1\n"
            "  kind: Namespace\n"
            "  metadata:\n"
            "    creationTimestamp: \"2026-01-01T00:00:00Z\"\n"
            "    name: a\n"
            "    uid: uid-of-a\n"
            "  spec: {}\n"
            "  status: {}\n"
            "kind: List\n"
            "metadata:\n"
            "  resourceVersion: \"\"\n");
  EXPECT_EQ(WrittenText({}), "apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: \"\"\n");
}

TEST(Dump, WhatWasWrittenIsReadAgain) {
  const Catalog catalog;
  Json pod = TestPod("a", "x", "node-1", "Running");
  int number = 0;
  for (const char* text : {"two\nlines\n", "no end\nof line", "\n\nempty\n\n  indented\n\n\n", " leading", "trailing ",
                           "tab\there", "- item", "# hash", "key: value", "yes", "0x10", "\"quoted\" 'both'", "",
                           "ünïcode \xE2\x80\xA8 separator", "line\r\nwindows", "---\n...\n"}) {
    pod.Make({"metadata", "annotations", "a" + std::to_string(number++)}) = Json::String(text);
  }
  const std::vector<Json> objects = {TestNamespace("a"), pod};

  const Dump dump = Read(catalog, WrittenText(objects));
  ASSERT_EQ(dump.objects.size(), 2);
  EXPECT_EQ(dump.objects[0].object, objects[0]);
  EXPECT_EQ(dump.objects[1].object, objects[1]);
}

TEST(Dump, OrderOfLoadingBeginsWithNamespacesAndEndsWithPods) {
  const Catalog catalog;
  const std::vector<const Resource*> order = LoadOrder(catalog);

  EXPECT_EQ(order.front(), &catalog.Get("", "namespaces"));
  EXPECT_EQ(order.back(), &catalog.Get("", "pods"));
  size_t stored = 0;
  for (const auto& resource : catalog.all()) {
    if (!resource->is_virtual() && resource->stored == resource.get()) ++stored;
  }
  EXPECT_EQ(order.size(), stored);
}

}  // namespace
}  // namespace berth::server
