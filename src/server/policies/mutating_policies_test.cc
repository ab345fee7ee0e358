// SPDX-License-Identifier: Apache-2.0
#include "server/policies/mutating_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

using testing::HasSubstr;

// Of policies about config maps and deployments. `kind`: applyConfiguration or jsonPatch.
std::string PolicyYaml(const std::string& name, const std::string& kind, const std::string& expression,
                       const std::string& again = "Never") {
  const std::string type = kind == "jsonPatch" ? "JSONPatch" : "ApplyConfiguration";
  return "metadata: {name: " + name +
         "}\nspec:\n  matchConstraints:\n    resourceRules:\n    - {apiGroups: ['', apps], apiVersions: [v1], "
         "operations: [CREATE, UPDATE], resources: [configmaps, deployments]}\n  reinvocationPolicy: " +
         again + "\n  mutations:\n  - patchType: " + type + "\n    " + kind + ":\n      expression: >-\n        " +
         expression + "\n";
}

class MutatingPoliciesTest : public testing::Test {
 protected:
  void Add(const std::string& yaml, const std::string& name) {
    cluster_.Create(kPolicyGroup, "mutatingadmissionpolicies", yaml);
    cluster_.Create(kPolicyGroup, "mutatingadmissionpolicybindings",
                    "metadata: {name: " + name + "}\nspec: {policyName: " + name + "}");
  }
  void Apply(const std::string& expression, const std::string& name = "p", const std::string& again = "Never") {
    Add(PolicyYaml(name, "applyConfiguration", expression, again), name);
  }
  void Patch(const std::string& expression) { Add(PolicyYaml("p", "jsonPatch", expression), "p"); }

  Json Make(const std::string& yaml) { return cluster_.Create("", "configmaps", yaml)->Tree(); }
  std::string Refused(const std::string& yaml) {
    const auto made = cluster_.TryCreate(cluster_.Get("", "configmaps"), yaml);
    return made ? "" : made.error().message;
  }
  std::string RefusedPolicy(const std::string& kind, const std::string& expression) {
    const auto made = cluster_.TryCreate(cluster_.Get(kPolicyGroup, "mutatingadmissionpolicies"),
                                         PolicyYaml("bad", kind, expression));
    return made ? "" : made.error().message;
  }

  TestCluster cluster_{false};
};

TEST_F(MutatingPoliciesTest, ApplyConfigurationsAreMerged) {
  Apply("Object{metadata: Object.metadata{labels: {\"a\": object.data.x}}, ?data: optional.none()}");

  const Json made = Make("metadata: {name: c, labels: {b: '2'}}\ndata: {x: '1'}");

  EXPECT_EQ(made["metadata"]["labels"].ToText(), R"({"a":"1","b":"2"})");
  EXPECT_EQ(made["data"]["x"].text(), "1");
}

TEST_F(MutatingPoliciesTest, WhatTheySetIsDefaultedAndValidated) {
  Apply("Object{spec: Object.spec{replicas: 1336 + 1}}");
  const std::string deployment =
      "metadata: {name: d}\nspec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: "
      "b}}, spec: {containers: [{name: c, image: i}]}}}";

  EXPECT_EQ(cluster_.Create("apps", "deployments", deployment)->Tree()["spec"]["replicas"].IntOr(0), 1337);
}

TEST_F(MutatingPoliciesTest, ObjectsMustBeCalledAfterTheirPlace) {
  Apply("Object{metadata: Object.spec{labels: {\"a\": \"b\"}}}");

  EXPECT_EQ(Refused("metadata: {name: c}"),
            "policy 'p' with binding 'p' denied request: type mismatch: unexpected type name \"Object.spec\", expected "
            "\"Object.metadata\", which matches field name path from root Object type");
}

TEST_F(MutatingPoliciesTest, WhatIsReplacedAsAWholeIsNotMerged) {
  Apply("Object{metadata: Object.metadata{ownerReferences: [], managedFields: [Object.metadata.managedFields{}]}}");

  EXPECT_THAT(Refused("metadata: {name: c}"),
              HasSubstr("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: "
                        ".metadata.managedFields"));
}

TEST_F(MutatingPoliciesTest, JsonPatchesAreApplied) {
  Patch(
      "[JSONPatch{op: \"add\", path: \"/metadata/labels/\" + jsonpatch.escapeKey(\"a.b/c\"), value: object.data.x}, "
      "JSONPatch{op: \"remove\", path: \"/data/z\"}]");

  const Json made = Make("metadata: {name: c, labels: {e: f}}\ndata: {x: v, z: w}");

  EXPECT_EQ(made["metadata"]["labels"]["a.b/c"].text(), "v");
  EXPECT_FALSE(made["data"].Has("z"));
}

TEST_F(MutatingPoliciesTest, APatchWhoseTestFailsLeavesTheObjectAsItIs) {
  Patch(
      "[JSONPatch{op: \"test\", path: \"/data/x\", value: \"other\"}, JSONPatch{op: \"remove\", path: "
      "\"/data/x\"}]");

  EXPECT_EQ(Make("metadata: {name: c}\ndata: {x: v}")["data"]["x"].text(), "v");
  EXPECT_THAT(Refused("metadata: {name: d}"), HasSubstr("policy 'p' with binding 'p' denied request: JSON Patch: "));
}

TEST_F(MutatingPoliciesTest, ThoseThatWantToAreAskedAgainAfterALaterChange) {
  Apply("Object{metadata: Object.metadata{labels: {\"seen\": has(object.data) ? \"data\" : \"none\"}}}", "a",
        "IfNeeded");
  Apply("Object{data: {\"x\": \"y\"}}", "b");

  EXPECT_EQ(Make("metadata: {name: c}")["metadata"]["labels"]["seen"].text(), "data");
}

TEST_F(MutatingPoliciesTest, NamesAndWhatTheSystemKeepsStayAsTheyAre) {
  Patch(
      "[JSONPatch{op: \"replace\", path: \"/metadata/name\", value: \"other\"}, JSONPatch{op: \"add\", path: "
      "\"/metadata/deletionTimestamp\", value: \"2026-01-01T00:00:00Z\"}]");

  const Json made = Make("metadata: {name: c}");

  EXPECT_EQ(made["metadata"]["name"].text(), "c");
  EXPECT_FALSE(made["metadata"].Has("deletionTimestamp"));
}

TEST_F(MutatingPoliciesTest, ValuesWhosePartsAreSharedDoNotGrowWithoutEnd) {
  std::string yaml = PolicyYaml("p", "applyConfiguration", "Object{data: variables.v9}");
  std::string variables = "  variables:\n  - {name: v0, expression: '[\"xxxxxxxxxx\"]'}\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "variables.v" + std::to_string(i - 1);
    variables += "  - {name: v" + std::to_string(i) + ", expression: '[" + before;
    for (int j = 0; j < 9; ++j) variables += ", " + before;
    variables += "]'}\n";
  }
  Add(yaml + variables, "p");

  EXPECT_THAT(Refused("metadata: {name: c}"), HasSubstr("the value is too large"));
}

TEST_F(MutatingPoliciesTest, ExpressionsAreCheckedWhenAPolicyIsWritten) {
  EXPECT_THAT(RefusedPolicy("applyConfiguration", "1 + 1"), HasSubstr("must evaluate to Object but got int"));
  EXPECT_THAT(RefusedPolicy("jsonPatch", "Object{}"), HasSubstr("must evaluate to list(JSONPatch) but got Object"));
  EXPECT_THAT(RefusedPolicy("jsonPatch", "[JSONPatch{op: 1, path: \"/a\"}]"),
              HasSubstr("expected type of field 'op' is 'string' but provided type is 'int'"));
  EXPECT_THAT(RefusedPolicy("applyConfiguration", "Invalid{}"), HasSubstr("undeclared reference to 'Invalid'"));
}

}  // namespace
}  // namespace berth::server
