// SPDX-License-Identifier: Apache-2.0
#include "server/patch/strategic_merge.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace berth::server {
namespace {

constexpr std::string_view kMergedPod =
    R"({"metadata":{"finalizers":["x","y"],"labels":{"a":"1"}},)"
    R"("spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}],"hostname":"h","tolerations":[{"key":"k"}]}})";

Outcome<Json> Patch(std::string_view object, std::string_view patch, std::string_view message) {
  Json changes = ParseTree(patch).value();
  return ApplyStrategicMerge(ParseTree(object).value(), changes, *api::wire::FindMessage(message));
}

Outcome<Json> PatchPod(std::string_view patch) { return Patch(kMergedPod, patch, "io.k8s.api.core.v1.Pod"); }

std::string Containers(std::string_view patch) {
  const Outcome<Json> patched = PatchPod(patch);
  if (!patched) return patched.error().message;
  std::string names;
  for (const Json& container : (*patched)["spec"]["containers"].items()) names += container["name"].text();
  return names;
}

std::string Finalizers(std::string_view patch) {
  const Outcome<Json> patched = PatchPod(patch);
  return patched ? (*patched)["metadata"]["finalizers"].ToText() : patched.error().message;
}

TEST(StrategicMerge, MapsMergeAndNullDeletes) {
  const Outcome<Json> patched = PatchPod(R"({"metadata":{"labels":{"a":null,"b":"2"}},"spec":{"hostname":null}})");

  ASSERT_TRUE(patched);
  EXPECT_EQ((*patched)["metadata"]["labels"].ToText(), R"({"b":"2"})");
  EXPECT_FALSE((*patched)["spec"].Has("hostname"));
}

TEST(StrategicMerge, ListsMergeByKeyIfTheirFieldSaysSo) {
  const Outcome<Json> patched =
      PatchPod(R"({"spec":{"containers":[{"name":"b","image":"i"}],"tolerations":[{"key":"l"}]}})");

  ASSERT_TRUE(patched);
  EXPECT_EQ((*patched)["spec"]["containers"].ToText(), R"([{"name":"a"},{"image":"i","name":"b"},{"name":"c"}])");
  EXPECT_EQ((*patched)["spec"]["tolerations"].ToText(), R"([{"key":"l"}])");
}

TEST(StrategicMerge, NewElementsComeFirstUnlessTheOrderIsSet) {
  EXPECT_EQ(Containers(R"({"spec":{"containers":[{"name":"d"}]}})"), "dabc");
  EXPECT_EQ(Containers(R"({"spec":{"containers":[{"name":"c"},{"name":"d"},{"name":"a"}]}})"), "bcda");
  EXPECT_EQ(
      Containers(R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"d"},{"name":"a"},{"name":"b"}],)"
                 R"("containers":[{"name":"d"}]}})"),
      "cdab");
  EXPECT_EQ(Containers(R"({"spec":{"$setElementOrder/containers":[{"name":"c"},{"name":"a"}]}})"), "bca");
}

TEST(StrategicMerge, ElementsAreDeletedByDirective) {
  EXPECT_EQ(Containers(R"({"spec":{"containers":[{"$patch":"delete","name":"b"},{"$patch":"delete","name":"x"}]}})"),
            "ac");
  EXPECT_EQ(Containers(R"({"spec":{"containers":[{"name":"z"},{"$patch":"replace"}]}})"), "z");
}

// Upstream leaves a new element where a deleted one was, and then knows its place.
TEST(StrategicMerge, ServerOnlyElementsComeBeforeOneThatTookAFreePlace) {
  EXPECT_EQ(Containers(R"({"spec":{"$setElementOrder/containers":[{"name":"d"}],"containers":[{"name":"d"}]}})"),
            "dabc");
  EXPECT_EQ(Containers(R"({"spec":{"$setElementOrder/containers":[{"name":"d"}],)"
                       R"("containers":[{"name":"d"},{"$patch":"delete","name":"a"}]}})"),
            "bcd");
}

TEST(StrategicMerge, ListsOfScalarsAreSets) {
  EXPECT_EQ(Finalizers(R"({"metadata":{"finalizers":["y","z"]}})"), R"(["x","y","z"])");
  EXPECT_EQ(Finalizers(R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x"]}})"), R"(["y"])");
  EXPECT_EQ(Finalizers(R"({"metadata":{"$setElementOrder/finalizers":["y","x"]}})"), R"(["y","x"])");
  EXPECT_EQ(Finalizers(R"({"metadata":{"$deleteFromPrimitiveList":["x"]}})"), "invalid patch format of primitive list");
}

TEST(StrategicMerge, MapsAreReplacedOrEmptiedByDirective) {
  EXPECT_EQ((*PatchPod(R"({"metadata":{"labels":{"$patch":"replace","b":"2"}}})"))["metadata"]["labels"].ToText(),
            R"({"b":"2"})");
  EXPECT_EQ((*PatchPod(R"({"metadata":{"labels":{"$patch":"delete"}}})"))["metadata"]["labels"].ToText(), "{}");
}

TEST(StrategicMerge, RetainedKeysAreAllThatStays) {
  const std::string_view strategy = R"({"rollingUpdate":{"maxSurge":1},"type":"RollingUpdate"})";
  const std::string_view message = "io.k8s.api.apps.v1.DeploymentSpec";
  const std::string object = R"({"strategy":)" + std::string(strategy) + "}";

  const auto patched = Patch(object, R"({"strategy":{"$retainKeys":["type"],"type":"Recreate"}})", message);
  ASSERT_TRUE(patched);
  EXPECT_EQ(patched->ToText(), R"({"strategy":{"type":"Recreate"}})");

  const auto refused = Patch(object, R"({"strategy":{"$retainKeys":["rollingUpdate"],"type":"Recreate"}})", message);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 400);
  EXPECT_EQ(refused.error().message, "invalid patch format of retainKeys");
}

TEST(StrategicMerge, NewValuesLoseNullsAndDirectedMaps) {
  const auto patched = PatchPod(R"({"spec":{"affinity":{"nodeAffinity":null,"podAffinity":{"$patch":"replace"}}}})");

  ASSERT_TRUE(patched);
  EXPECT_EQ((*patched)["spec"]["affinity"].ToText(), "{}");
}

TEST(StrategicMerge, ErrorsAreUpstreams) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"spec":{"containers":[{"image":"x"}]}})", "map: map[image:x] does not contain declared merge key: name"},
      {R"({"spec":{"containers":[{"$patch":"merge"}]}})", "merging lists cannot yet be specified in the patch"},
      {R"({"spec":{"containers":[{"$patch":"foo","name":"a"}]}})",
       "unknown patch type: foo in map: map[$patch:foo name:a]"},
      {R"({"spec":{"containers":["x",null]}})",
       "list element types are not identical: [[map[name:a] map[name:b] map[name:c]] [x <nil>]]"},
      {R"({"spec":{"$patch":5}})", "unknown patch type: %!s(int64=5) in map: map[$patch:5]"},
      {R"({"spec":{"$setElementOrder/containers":5}})", "expected a []interface {}, but received a int64"},
      {R"({"spec":{"$setElementOrder/containers":[{"name":"b"}],"containers":[{"name":"z"}]}})",
       "The order in patch list:\n[map[name:z]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n"},
      {R"({"spec":{"$setElementOrder/nope":[]}})",
       "unable to find api field in struct PodSpec for the json field \"nope\""},
      {R"({"spec":{"$setElementOrder/hostname":[]}})", "expected a []interface {}, but received a string"},
      {R"({"spec":{"$setElementOrder/nodeName":[]}})", "expected slice or array type, but got: struct"},
      {R"({"metadata":{"labels":{"$setElementOrder/x":[]}}})",
       "merging an object in json but data type is not struct, instead is: map"}};
  for (const auto& [patch, message] : cases) {
    SCOPED_TRACE(patch);
    const Outcome<Json> patched = PatchPod(patch);
    ASSERT_FALSE(patched);
    EXPECT_EQ(patched.error().code, 500);
    EXPECT_EQ(patched.error().reason, "");
    EXPECT_EQ(patched.error().message, message);
  }
}

TEST(StrategicMerge, ThePatchLosesWhatWasOrdered) {
  Json patch =
      ParseTree(R"({"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a"}],"x":null}})")
          .value();

  ASSERT_TRUE(
      ApplyStrategicMerge(ParseTree(kMergedPod).value(), patch, *api::wire::FindMessage("io.k8s.api.core.v1.Pod")));
  EXPECT_EQ(patch.ToText(), R"({"spec":{"x":null}})");
}

TEST(StrategicMerge, LongListsAreNotMerged) {
  const auto finalizers = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += (list.empty() ? "\"" : ",\"") + std::to_string(i) + "\"";
    return R"({"metadata":{"finalizers":[)" + list + "]}}";
  };
  EXPECT_TRUE(PatchPod(finalizers(1000)));
  const Outcome<Json> patched = PatchPod(finalizers(5000));
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().code, 413);
}

}  // namespace
}  // namespace berth::server
