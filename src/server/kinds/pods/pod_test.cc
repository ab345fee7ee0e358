// SPDX-License-Identifier: Apache-2.0
// What a reader relies on in small; tests/kinds compares the rest with upstream.
#include <gtest/gtest.h>

#include <string>

#include "server/kinds/kinds.h"
#include "server/kinds/pods/pod_level_resources.h"
#include "server/model/test_tree.h"

namespace berth::server {
namespace {

Json NewPod(std::string_view spec) {
  Json pod{{"metadata", Json{{"name", Json::String("p")}, {"creationTimestamp", Json::String("now")}}},
           {"spec", TreeOf(spec)}};
  const auto strategy = MakePodStrategy();
  strategy->Default(pod, true);
  strategy->PrepareCreate(pod);
  return pod;
}

std::string FirstError(const FieldErrors& errors) {
  return errors.empty() ? "" : errors.all().front().field + ": " + errors.all().front().message;
}

std::string ErrorOfUpdate(const Json& pod, const Json& old) {
  FieldErrors errors;
  MakePodStrategy()->ValidateUpdate(pod, old, errors);
  const std::string text = FirstError(errors);
  return text.substr(0, text.find('\n'));
}

constexpr std::string_view kOneContainer = R"({"containers":[{"name":"c","image":"nginx:1","resources":{}}]})";

TEST(Pod, IsFilledAtCreation) {
  const Json pod = NewPod(kOneContainer);

  EXPECT_EQ(pod["spec"]["restartPolicy"].text(), "Always");
  EXPECT_EQ(pod["spec"]["terminationGracePeriodSeconds"].AsInt(), 30);
  EXPECT_EQ(pod["spec"]["containers"][size_t{0}]["imagePullPolicy"].text(), "IfNotPresent");
  EXPECT_EQ(pod["status"], TreeOf(R"({"phase":"Pending","qosClass":"BestEffort"})"));
  EXPECT_EQ(pod["metadata"]["generation"].AsInt(), 1);
}

TEST(Pod, LimitsAreRequestsToo) {
  const Json pod = NewPod(R"({"containers":[{"name":"c","image":"a:1",
      "resources":{"limits":{"cpu":"1","memory":"1Gi","example.com/gpu":"2"},"requests":{"cpu":"1"}}}]})");

  EXPECT_EQ(pod["spec"]["containers"][size_t{0}]["resources"]["requests"],
            TreeOf(R"({"cpu":"1","memory":"1Gi","example.com/gpu":"2"})"));
  EXPECT_EQ(pod["status"]["qosClass"].text(), "Guaranteed");
}

TEST(Pod, QosIsBurstableUnlessAllContainersAgree) {
  const Json spec = TreeOf(R"({"initContainers":[{"resources":{}}],
      "containers":[{"resources":{"requests":{"cpu":"1","memory":"1"},"limits":{"cpu":"1","memory":"1"}}}]})");
  EXPECT_EQ(QosClass(spec), "Burstable");
  EXPECT_EQ(QosClass(TreeOf(R"({"containers":[{"resources":{"requests":{"cpu":"0"},"limits":{"cpu":"0"}}}]})")),
            "BestEffort");
  EXPECT_EQ(QosClass(TreeOf(R"({"containers":[{"resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1000m"}}}]})")),
            "Burstable");
}

TEST(Pod, GatesKeepItFromBeingScheduled) {
  const Json pod =
      NewPod(R"({"containers":[{"name":"c","image":"a:1","resources":{}}],"schedulingGates":[{"name":"a"}]})");

  const Json& condition = pod["status"]["conditions"][size_t{0}];
  EXPECT_EQ(condition["reason"].text(), "SchedulingGated");
  EXPECT_EQ(condition["lastTransitionTime"].text(), "now");
}

TEST(Pod, OnlyImagesAndLittleElseMayChange) {
  const Json old = NewPod(kOneContainer);
  Json other_image = old;
  other_image.Make("spec").Find("containers")->mutable_items()[0].Set("image", "nginx:2");
  Json other_node = old;
  other_node.Make("spec").Set("nodeName", "n");

  EXPECT_EQ(ErrorOfUpdate(old, old), "");
  EXPECT_EQ(ErrorOfUpdate(other_image, old), "");
  EXPECT_TRUE(ErrorOfUpdate(other_node, old).starts_with("spec: Forbidden: pod updates may not change fields other"));
}

TEST(Pod, GatedPodsMayBecomeMoreParticular) {
  const Json old = NewPod(R"({"containers":[{"name":"c","image":"a:1","resources":{}}],
      "schedulingGates":[{"name":"a"}],"nodeSelector":{"a":"b"}})");
  Json narrower = old;
  narrower.Make({"spec", "nodeSelector"}).Set("c", "d");
  Json other = old;
  other.Make({"spec", "nodeSelector"}).Set("a", "d");

  EXPECT_EQ(ErrorOfUpdate(narrower, old), "");
  EXPECT_TRUE(ErrorOfUpdate(other, old).starts_with("spec.nodeSelector: Invalid value")) << ErrorOfUpdate(other, old);
}

TEST(Pod, CertificatesOfPodsAreChecked) {
  const auto error_of = [](const std::string& certificate) {
    FieldErrors errors;
    MakePodStrategy()->Validate(
        NewPod(R"({"containers":[{"name":"c","image":"a:1","resources":{}}],"volumes":[{"name":"v","projected":
               {"sources":[{"podCertificate":)" +
               certificate + "}]}}]}"),
        errors);
    return FirstError(errors);
  };
  const std::string at = "spec.volumes[0].projected.sources[0].podCertificate";
  const std::string good = R"("keyType":"ED25519","keyPath":"key")";

  EXPECT_EQ(error_of(R"({"signerName":"example.com/x",)" + good + "}"), "");
  EXPECT_EQ(error_of(R"({"signerName":"example.com/x","maxExpirationSeconds":7862401,)" + good + "}"),
            at + ".maxExpirationSeconds: Invalid value: 7862401: if provided, maxExpirationSeconds must be <= 7862400");
  EXPECT_EQ(error_of(R"({"signerName":"a.kubernetes.io/x","maxExpirationSeconds":90000,)" + good + "}"),
            at + ".maxExpirationSeconds: Invalid value: 90000: if provided, maxExpirationSeconds must be <= 86400");
  EXPECT_EQ(error_of(R"({"signerName":"example.com/x","userAnnotations":{"a":"b"},)" + good + "}"),
            at + ".userAnnotations: Invalid value: \"a\": must be a domain-prefixed key (such as \"acme.io/foo\")");
  EXPECT_EQ(error_of(R"({"signerName":"example.com/x","keyType":"ED25519"})"),
            at + ": Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath");
}

TEST(Pod, EndsAtOnceUnlessItRuns) {
  const auto strategy = MakePodStrategy();
  Json pod = NewPod(kOneContainer);
  EXPECT_EQ(strategy->GraceSeconds(pod, 10), 0);
  pod.Make("spec").Set("nodeName", "n");
  EXPECT_EQ(strategy->GraceSeconds(pod, std::nullopt), 30);
  EXPECT_EQ(strategy->GraceSeconds(pod, 10), 10);
  pod.Make("status").Set("phase", "Succeeded");
  EXPECT_EQ(strategy->GraceSeconds(pod, 10), 0);
}

TEST(Pod, IsFoundByItsFields) {
  const auto strategy = MakePodStrategy();
  Json pod = NewPod(kOneContainer);
  pod.Make("status").Set("podIPs", TreeOf(R"([{"ip":"10.0.0.1"}])"));
  EXPECT_EQ(strategy->SelectableField(pod, "spec.nodeName"), "");
  EXPECT_EQ(strategy->SelectableField(pod, "spec.hostNetwork"), "false");
  EXPECT_EQ(strategy->SelectableField(pod, "status.podIP"), "10.0.0.1");
  EXPECT_EQ(strategy->SelectableField(pod, "status.phase"), "Pending");
}

}  // namespace
}  // namespace berth::server
