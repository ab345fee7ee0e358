// SPDX-License-Identifier: Apache-2.0
#include "api/typed/typed.h"

#include <gtest/gtest.h>

#include "api/wire/json_fields.h"

namespace berth::api {
namespace {

const wire::Message& MessageOf(std::string_view api_version, std::string_view kind) {
  return wire::MessageAt(wire::FindKind(api_version, kind)->message);
}

// What becomes of an object, or the error.
std::string Canonical(std::string_view api_version, std::string_view kind, std::string_view text) {
  const auto& message = MessageOf(api_version, kind);
  Json object = ParseTree(text).value();
  const Result<void> done = Canonicalize(object, message);
  return done ? EncodeJson(object, message) : done.error().message;
}

std::string CanonicalPod(std::string_view spec) {
  return Canonical("v1", "Pod", R"({"spec":)" + std::string(spec) + "}");
}

std::string CanonicalContainer(std::string_view members) {
  return CanonicalPod(R"({"containers":[{"name":"c",)" + std::string(members) + "}]}");
}

std::string CanonicalMetadata(std::string_view metadata) {
  return Canonical("v1", "ConfigMap", R"({"metadata":)" + std::string(metadata) + "}");
}

std::string CanonicalSecret(std::string_view data) {
  return Canonical("v1", "Secret", R"({"data":)" + std::string(data) + "}");
}

std::string CanonicalLease(std::string_view spec) {
  return Canonical("coordination.k8s.io/v1", "Lease", R"({"spec":)" + std::string(spec) + "}");
}

TEST(Typed, WritesMembersInUpstreamsOrder) {
  EXPECT_EQ(
      Canonical(
          "v1", "ConfigMap",
          R"({"data":{"b":"2","a":"1"},"apiVersion":"v1","metadata":{"labels":{},"name":"x"},"kind":"ConfigMap"})"),
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"},"data":{"a":"1","b":"2"}})");
}

TEST(Typed, StructsAreWrittenEvenIfTheyAreEmpty) {
  EXPECT_EQ(Canonical("v1", "Pod", "{}"), R"({"metadata":{},"spec":{"containers":null},"status":{}})");
  EXPECT_EQ(Canonical("v1", "Event", "{}"),
            R"({"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,)"
            R"("eventTime":null,"reportingComponent":"","reportingInstance":""})");
  EXPECT_EQ(Canonical("policy/v1", "PodDisruptionBudget", "{}"),
            R"({"metadata":{},"spec":{},"status":{"disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,)"
            R"("expectedPods":0}})");
}

TEST(Typed, EmptyValuesGoAndPointersStay) {
  EXPECT_EQ(
      CanonicalPod(
          R"({"hostNetwork":false,"nodeName":"","tolerations":[],"nodeSelector":{},"priority":0,"hostUsers":false,)"
          R"("securityContext":{},"affinity":null})"),
      R"({"metadata":{},"spec":{"containers":null,"securityContext":{},"priority":0,"hostUsers":false},"status":{}})");
}

// Upstream keeps objects as protobuf, which cannot tell an empty list from none.
TEST(Typed, AnEmptyListThatMustBeThereIsNull) {
  EXPECT_EQ(Canonical("rbac.authorization.k8s.io/v1", "ClusterRole", R"({"rules":[]})"),
            R"({"metadata":{},"rules":null})");
}

TEST(Typed, NullElementsAreZeroValues) {
  EXPECT_EQ(CanonicalSecret(R"({"a":null})"), R"({"metadata":{},"data":{"a":""}})");
  EXPECT_EQ(CanonicalMetadata(R"({"annotations":{"a":null},"finalizers":[null]})"),
            R"({"metadata":{"annotations":{"a":""},"finalizers":[""]}})");
  EXPECT_EQ(
      Canonical("v1", "Node", R"({"status":{"capacity":{"cpu":null}},"spec":{"taints":[null]}})"),
      R"({"metadata":{},"spec":{"taints":[{"key":"","effect":""}]},"status":{"capacity":{"cpu":"0"},)"
      R"("daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"",)"
      R"("kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"",)"
      R"("operatingSystem":"","architecture":""}}})");
}

TEST(Typed, QuantitiesAreCanonical) {
  const auto cpu = [](std::string_view value) {
    return CanonicalContainer(R"("resources":{"limits":{"cpu":)" + std::string(value) + "}}");
  };
  const auto result = [](std::string_view value) {
    return R"({"metadata":{},"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":")" + std::string(value) +
           R"("}}}]},"status":{}})";
  };
  EXPECT_EQ(cpu(R"("0.5")"), result("500m"));
  EXPECT_EQ(cpu(R"("1024Mi")"), result("1Gi"));
  EXPECT_EQ(cpu("2"), result("2"));
  EXPECT_EQ(cpu(R"(" 1 ")"), result("1"));
  for (const std::string_view wrong : {R"("x")", R"("")", "true", "{}", R"([1])"}) {
    SCOPED_TRACE(wrong);
    EXPECT_EQ(cpu(wrong),
              "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }
}

TEST(Typed, TimesAreInUtcWithSecondsOrMicroseconds) {
  EXPECT_EQ(CanonicalMetadata(R"({"creationTimestamp":"2020-01-01T01:00:00.9+01:00"})"),
            R"({"metadata":{"creationTimestamp":"2020-01-01T00:00:00Z"}})");
  EXPECT_EQ(CanonicalMetadata(R"({"creationTimestamp":null})"), R"({"metadata":{}})");
  EXPECT_EQ(CanonicalMetadata(R"({"creationTimestamp":"0001-01-01T00:00:00Z"})"), R"({"metadata":{}})");
  EXPECT_EQ(CanonicalLease(R"({"renewTime":"2020-01-01T00:00:00.123456+02:00"})"),
            R"({"metadata":{},"spec":{"renewTime":"2019-12-31T22:00:00.123456Z"}})");
  EXPECT_EQ(CanonicalMetadata(R"({"creationTimestamp":1})"),
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string");
}

TEST(Typed, IntOrStringIsEither) {
  EXPECT_EQ(
      CanonicalContainer(R"("livenessProbe":{"httpGet":{"port":"http"}})"),
      R"({"metadata":{},"spec":{"containers":[{"name":"c","resources":{},"livenessProbe":{"httpGet":{"port":"http"}}}]},)"
      R"("status":{}})");
  EXPECT_EQ(CanonicalContainer(R"("livenessProbe":{"httpGet":{"port":1.5}})"),
            "json: cannot unmarshal number 1.5 into Go struct field "
            "HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32");
}

TEST(Typed, BytesAreBase64) {
  EXPECT_EQ(CanonicalSecret(R"({"a":"e\nB=="})"), R"({"metadata":{},"data":{"a":"eA=="}})");
  EXPECT_EQ(CanonicalSecret(R"({"a":"x"})"), "illegal base64 data at input byte 0");
  EXPECT_EQ(CanonicalSecret(R"({"a":"eA==="})"), "illegal base64 data at input byte 4");
  EXPECT_EQ(CanonicalSecret(R"({"a":"eAA*"})"), "illegal base64 data at input byte 3");
  EXPECT_EQ(CanonicalSecret(R"({"a":"eA=A"})"), "illegal base64 data at input byte 2");
  EXPECT_EQ(CanonicalSecret(R"({"a":"eA="})"), "illegal base64 data at input byte 3");
  EXPECT_EQ(CanonicalSecret(R"({"a":[1,2,null]})"), R"({"metadata":{},"data":{"a":"AQIA"}})");
  EXPECT_EQ(CanonicalSecret(R"({"a":[256]})"),
            "json: cannot unmarshal number 256 into Go struct field Secret.data of type uint8");
  EXPECT_EQ(CanonicalSecret(R"({"a":1})"),
            "json: cannot unmarshal number into Go struct field Secret.data of type []uint8");
}

TEST(Typed, NumbersAreIntegersAsWritten) {
  const auto error = [](std::string_view number) {
    return "json: cannot unmarshal number " + std::string(number) +
           " into Go struct field PodSpec.spec.priority of type int32";
  };
  for (const std::string_view number : {"1.0", "1e3", "99999999999"}) {
    EXPECT_EQ(CanonicalPod(R"({"priority":)" + std::string(number) + "}"), error(number));
  }
  EXPECT_EQ(CanonicalPod(R"({"priority":-0})"), CanonicalPod(R"({"priority":0})"));
}

TEST(Typed, ErrorsNameTheFieldAndTheTypeAsGoDoes) {
  const std::string json = "json: cannot unmarshal ";
  const std::string into = " into Go struct field ";
  EXPECT_EQ(CanonicalPod(R"("x")"), json + "string" + into + "Pod.spec of type v1.PodSpec");
  EXPECT_EQ(CanonicalPod(R"({"containers":"x"})"),
            json + "string" + into + "PodSpec.spec.containers of type []v1.Container");
  EXPECT_EQ(CanonicalPod(R"({"containers":["x"]})"),
            json + "string" + into + "PodSpec.spec.containers of type v1.Container");
  EXPECT_EQ(CanonicalPod(R"({"containers":[{"name":1}]})"),
            json + "number" + into + "Container.spec.containers.name of type string");
  EXPECT_EQ(CanonicalPod(R"({"restartPolicy":1})"),
            json + "number" + into + "PodSpec.spec.restartPolicy of type v1.RestartPolicy");
  EXPECT_EQ(CanonicalContainer(R"("resources":{"requests":"x"})"),
            json + "string" + into + "ResourceRequirements.spec.containers.resources.requests of type v1.ResourceList");
  EXPECT_EQ(CanonicalPod(R"({"volumes":[{"hostPath":"x"}]})"),
            json + "string" + into + "Volume.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource");
  EXPECT_EQ(CanonicalMetadata(R"({"labels":{"a":1}})"),
            json + "number" + into + "ObjectMeta.metadata.labels of type string");
  EXPECT_EQ(CanonicalMetadata(R"({"labels":[]})"),
            json + "array" + into + "ObjectMeta.metadata.labels of type map[string]string");
  EXPECT_EQ(CanonicalSecret(R"("x")"), json + "string" + into + "Secret.data of type map[string][]uint8");
  EXPECT_EQ(Canonical("v1", "Pod", "[]"), "json: cannot unmarshal array into Go value of type v1.Pod");
}

TEST(Typed, UnknownMembersAreDroppedAndNamed) {
  Json pod = ParseTree(R"({"spec":{"nodeNamee":"x","containers":[{"name":"c"},{"nome":1}]},"zoo":{}})").value();
  std::vector<std::string> unknown;

  ASSERT_TRUE(Canonicalize(pod, MessageOf("v1", "Pod"), &unknown));

  EXPECT_FALSE(pod["spec"].Has("nodeNamee"));
  EXPECT_EQ(unknown, (std::vector<std::string>{R"(unknown field "spec.containers[1].nome")",
                                               R"(unknown field "spec.nodeNamee")", R"(unknown field "zoo")"}));
}

TEST(Typed, StrictErrorsStandInTheOrderOfTheText) {
  const auto document =
      ParseJson(R"({"metadata":{"labels":{"a":"1","a":"2"}},"spec":{"b":1,"a":{"x":1,"x":2},"containers":[{"zz":1,)"
                R"("env":[{"nome":"b"}]}],"nodeName":"x","nodeName":"y"},"Spec":{},"we\"ird":1,"zoo":3,"zoo":4})");

  std::vector<std::string> errors;
  for (const StrictError& error : StrictErrors(document->root(), MessageOf("v1", "Pod"))) {
    errors.push_back(error.ToText());
  }

  EXPECT_EQ(errors, (std::vector<std::string>{R"(duplicate field "metadata.labels.a")", R"(unknown field "spec.b")",
                                              R"(unknown field "spec.a")", R"(unknown field "spec.containers[0].zz")",
                                              R"(unknown field "spec.containers[0].env[0].nome")",
                                              R"(duplicate field "spec.nodeName")", R"(unknown field "Spec")",
                                              R"(unknown field "we\"ird")", R"(unknown field "zoo")"}));
}

TEST(Typed, StrictErrorsAreOneHundredAtMost) {
  std::string text = "{";
  for (int i = 0; i < 200; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
  const auto document = ParseJson(text + "}");

  EXPECT_EQ(StrictErrors(document->root(), MessageOf("v1", "Pod")).size(), 100u);
}

TEST(Typed, RawJsonStaysAsItIs) {
  EXPECT_EQ(Canonical("apps/v1", "ControllerRevision", R"({"data":{"a":[1.50,null,{}]},"revision":1})"),
            R"({"metadata":{},"data":{"a":[1.50,null,{}]},"revision":1})");
}

// What AppendJson has room for.
TEST(JsonFields, NoMessageHasTooMany) {
  for (const wire::Message& message : wire::Messages()) {
    EXPECT_LE(JsonFields::Of(message).by_name().size(), 128u) << message.name;
  }
}

TEST(JsonFields, HasTheMembersOfInlineFields) {
  const JsonFields& volume = JsonFields::Of(*wire::FindMessage("io.k8s.api.core.v1.Volume"));

  ASSERT_NE(volume.Find("hostPath"), nullptr);
  EXPECT_EQ(volume.Find("hostPath")->embedded, "VolumeSource.");
  EXPECT_EQ(volume.Find("VolumeSource"), nullptr);
  EXPECT_EQ(volume.Find("name")->place, 0);
}

}  // namespace
}  // namespace berth::api
