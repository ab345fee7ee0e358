// SPDX-License-Identifier: Apache-2.0
#include "server/access/parameter_rights.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kRegistration = "admissionregistration.k8s.io";
constexpr std::string_view kPolicies = "validatingadmissionpolicies";

// ann may read the secrets of one namespace, bob all.
class Readers {
 public:
  Readers() {
    cluster.Create(kRbacGroup, "clusterroles",
                   "metadata: {name: r}\nrules: [{verbs: [get, list], apiGroups: [''], resources: [secrets]}]");
    const auto bind = [&](std::string_view kind, std::string_view user) {
      cluster.Create(kRbacGroup, kind,
                     "metadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}\n"
                     "subjects: [{kind: User, name: " +
                         std::string(user) + "}]");
    };
    bind("rolebindings", "ann");
    bind("clusterrolebindings", "bob");
  }

  // What is wrong with an object of this kind and spec, if that user writes it; "" if nothing is.
  std::string WhyRefused(std::string_view plural, std::string_view user, std::string_view spec,
                         std::string_view old = {}) {
    const Resource& resource = cluster.Get(kRegistration, plural);
    const auto object = [&](std::string_view text) {
      return TestCluster::Parse(resource, "metadata: {name: p}\nspec: " + std::string(text));
    };
    const Json before = old.empty() ? Json() : object(old);
    const User who{.name = std::string(user), .uid = "7", .groups = {"g", "h"}, .extra = {}};
    const auto checked = CheckParameterRights(cluster.catalog, cluster.store, roles, who, resource, object(spec),
                                              old.empty() ? nullptr : &before);
    return checked ? "" : checked.error().message;
  }

  TestCluster cluster{false};
  Roles roles{cluster.catalog, cluster.store};
};

constexpr std::string_view kOfSecrets = "{paramKind: {apiVersion: v1, kind: Secret}}";

TEST(ParameterRights, WhoeverWritesAPolicyMayReadAllOfItsParameters) {
  Readers readers;
  const auto refusal = [&](std::string_view user, std::string_view spec, std::string_view old = {}) {
    return readers.WhyRefused(kPolicies, user, spec, old);
  };

  EXPECT_EQ(refusal("ann", kOfSecrets),
            "ValidatingAdmissionPolicy.admissionregistration.k8s.io \"p\" is invalid: spec.paramKind: Forbidden: user "
            "&{ann 7 [g h] map[]} must have \"get\" permission on all objects of the referenced paramKind "
            "(kind=Secret, apiVersion=v1)");
  EXPECT_EQ(refusal("bob", kOfSecrets), "");
  EXPECT_EQ(refusal("ann", "{}"), "");
  EXPECT_NE(refusal("bob", "{paramKind: {apiVersion: example.com/v1, kind: Unknown}}"), "");
  // It was so before.
  EXPECT_EQ(refusal("ann", kOfSecrets, kOfSecrets), "");
  EXPECT_NE(refusal("ann", kOfSecrets, "{paramKind: {apiVersion: v1, kind: ConfigMap}}"), "");
}

TEST(ParameterRights, WhoeverBindsAPolicyMayReadWhatItIsGiven) {
  Readers readers;
  readers.cluster.Create(
      kRegistration, kPolicies,
      "metadata: {name: p}\nspec:\n  paramKind: {apiVersion: v1, kind: Secret}\n  matchConstraints: {resourceRules: "
      "[{apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [pods]}]}\n  validations: [{expression: "
      "'true'}]");
  const auto refusal = [&](std::string_view user, std::string_view reference, std::string_view policy = "p") {
    return readers.WhyRefused("validatingadmissionpolicybindings", user,
                              "{policyName: " + std::string(policy) + ", paramRef: " + std::string(reference) + "}");
  };

  EXPECT_EQ(refusal("ann", "{name: s, namespace: default}"), "");
  EXPECT_EQ(refusal("ann", "{selector: {}, namespace: default}"), "");
  EXPECT_EQ(refusal("ann", "{name: s, namespace: kube-system}"),
            "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io \"p\" is invalid: spec.paramRef: Forbidden: "
            "user &{ann 7 [g h] map[]} does not have \"get\" permission on the object referenced by paramRef");
  EXPECT_NE(refusal("ann", "{selector: {}}"), "");
  EXPECT_EQ(refusal("bob", "{selector: {}}"), "");
  EXPECT_EQ(refusal("bob", "{name: s}", "none"),
            "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io \"p\" is invalid: spec.paramRef: Forbidden: "
            "unable to get policy none to determine minimum required permissions and user &{bob 7 [g h] map[]} does "
            "not have \"get\" permission for all groups, versions and resources");
  EXPECT_EQ(readers.WhyRefused("mutatingadmissionpolicies", "bob", kOfSecrets), "");
}

}  // namespace
}  // namespace berth::server
