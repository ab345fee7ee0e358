// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
T MustDecode(std::string_view json) {
  const Result<Document> document = ParseJson(json);
  EXPECT_TRUE(document) << document.error().message;
  if (!document) return {};
  const Result<Object> object = DecodeObject(document->root());
  EXPECT_TRUE(object) << object.error().message;
  return object ? std::get<T>(*object) : T();
}

Error DecodeError(std::string_view json) {
  const Result<Document> document = ParseJson(json);
  if (!document) return document.error();
  const Result<Object> object = DecodeObject(document->root());
  return object ? Error{} : object.error();
}

// A pod with `members` in its spec.
std::string PodWith(std::string_view members) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"namespace":"ns","name":"p"}},"spec":{{{}}}}})",
                     members);
}

TEST(DecodeObject, KnowsEveryKindByItsRow) {
  for (const KindRow& row : kKindRows) {
    SCOPED_TRACE(row.kind);
    const std::string version =
        row.group.empty() ? std::string(row.version) : fmt::format("{}/{}", row.group, row.version);
    const Result<Document> document = ParseJson(
        fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"a"}}}})", version, ManifestKind(row.kind)));
    const Result<Object> object = DecodeObject(document->root());
    ASSERT_TRUE(object.has_value()) << object.error().message;
    EXPECT_EQ(KindOf(*object), row.kind);
    EXPECT_EQ(MetaOf(*object).name, "a");
  }
}

TEST(DecodePod, ReadsMetadata) {
  const auto pod = MustDecode<Pod>(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u",
      "resourceVersion":"7","generation":3,"labels":{"b":"2","a":"1"},"annotations":{"x":"y"},
      "creationTimestamp":"1970-01-01T00:00:02Z","deletionTimestamp":null,
      "ownerReferences":[{"kind":"Node","name":"n"},{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","controller":true}]}})");

  EXPECT_EQ(FullName(pod.meta), "ns/p");
  EXPECT_EQ(pod.meta.uid, "u");
  EXPECT_EQ(pod.meta.resource_version, "7");
  EXPECT_EQ(pod.meta.generation, 3);
  EXPECT_EQ(pod.meta.labels, (Labels{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(pod.meta.annotations, (Labels{{"x", "y"}}));
  EXPECT_EQ(pod.meta.creation_timestamp, Time{2'000'000'000});
  EXPECT_FALSE(pod.meta.deletion_timestamp);
  ASSERT_NE(pod.meta.controller(), nullptr);
  EXPECT_EQ(pod.meta.controller()->name, "r");
}

TEST(DecodePod, ReadsContainers) {
  const auto pod = MustDecode<Pod>(PodWith(R"("nodeName":"n1",
      "initContainers":[{"name":"i","restartPolicy":"Always"}],
      "containers":[{"name":"c","image":"img:1","resources":{"requests":{"cpu":1,"memory":" 1Gi "},"limits":{"cpu":"2"}},
        "ports":[{"containerPort":80},{"containerPort":80,"hostPort":8080,"hostIP":"10.0.0.1","protocol":"UDP"}],
        "restartPolicyRules":[{"action":"Restart"},{"action":"RestartAllContainers"}]},
        {"name":"d","volumeMounts":[{"name":"v"},{"name":"v","bindMountOptions":["noexec"]}]}],
      "ephemeralContainers":[{"name":"e"},{"name":"f","volumeMounts":[{"bindMountOptions":["nodev"]}]}])"));

  EXPECT_EQ(pod.node_name, "n1");
  ASSERT_EQ(pod.spec.containers.size(), 2U);
  const Container& c = pod.spec.containers[0];
  EXPECT_EQ(c.image, "img:1");
  ASSERT_NE(c.requests.Find("cpu"), nullptr);
  EXPECT_EQ(c.requests.Find("cpu")->MilliValue(), 1000);
  EXPECT_EQ(c.requests.Find("memory")->Value(), int64_t{1} << 30);
  EXPECT_EQ(c.limits.Find("cpu")->Value(), 2);
  EXPECT_THAT(c.host_ports, ElementsAre(HostPort{"10.0.0.1", "UDP", 8080}));
  EXPECT_TRUE(c.restarts_all_containers);
  EXPECT_FALSE(c.has_bind_mount_options);
  EXPECT_TRUE(pod.spec.containers[1].has_bind_mount_options);
  EXPECT_TRUE(pod.spec.init_containers[0].restart_always);
  ASSERT_EQ(pod.spec.ephemeral_containers.size(), 1U);
  EXPECT_EQ(pod.spec.ephemeral_containers[0].name, "f");
}

TEST(DecodePod, ReadsSchedulingFields) {
  const auto pod = MustDecode<Pod>(PodWith(R"("priority":-5,"priorityClassName":"low","preemptionPolicy":"Never",
      "schedulerName":"s","hostNetwork":true,"hostUsers":false,"schedulingGates":[{"name":"g"}],
      "overhead":{"cpu":"10m"},"schedulingGroup":{"podGroupName":"team"},
      "tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":5}],
      "resourceClaims":[{"name":"a","resourceClaimName":"c"},{"name":"b","resourceClaimTemplateName":"t"}],
      "topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","minDomains":3,
        "labelSelector":{},"nodeTaintsPolicy":"Honor","matchLabelKeys":["x"]}])"));

  EXPECT_EQ(pod.spec.priority, -5);
  EXPECT_EQ(pod.spec.preemption_policy, "Never");
  EXPECT_TRUE(pod.spec.host_network);
  EXPECT_EQ(pod.spec.host_users, false);
  EXPECT_THAT(pod.spec.scheduling_gates, ElementsAre("g"));
  EXPECT_EQ(pod.spec.scheduling_group, "team");
  EXPECT_THAT(pod.spec.tolerations, ElementsAre(Toleration{"k", "Exists", "", "NoExecute"}));
  EXPECT_EQ(pod.spec.resource_claims[0].claim_name, "c");
  EXPECT_EQ(pod.spec.resource_claims[1].template_name, "t");
  const TopologySpreadConstraint& constraint = pod.spec.topology_spread_constraints.at(0);
  EXPECT_EQ(constraint.max_skew, 2);
  EXPECT_EQ(constraint.min_domains, 3);
  EXPECT_EQ(constraint.label_selector, LabelSelector());
  EXPECT_THAT(constraint.match_label_keys, ElementsAre("x"));
}

TEST(DecodePod, TellsAbsentFromEmpty) {
  const auto absent = MustDecode<Pod>(PodWith(R"("nodeSelector":null,"affinity":{"nodeAffinity":{}},"containers":[])"));
  const auto empty = MustDecode<Pod>(PodWith(R"("nodeSelector":{},"resources":{},
      "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]},
                                  "preferredDuringSchedulingIgnoredDuringExecution":[]}})"));

  EXPECT_FALSE(absent.spec.node_selector);
  EXPECT_FALSE(absent.spec.pod_requests);
  EXPECT_FALSE(absent.spec.priority);
  EXPECT_FALSE(absent.spec.affinity->pod_affinity);
  EXPECT_FALSE(absent.spec.affinity->node_affinity->required);
  EXPECT_FALSE(absent.spec.affinity->node_affinity->preferred);
  EXPECT_TRUE(empty.spec.node_selector);
  EXPECT_TRUE(empty.spec.pod_requests);
  EXPECT_TRUE(empty.spec.affinity->node_affinity->required);
  EXPECT_TRUE(empty.spec.affinity->node_affinity->preferred);
}

TEST(DecodePod, PodsThatDifferInTheirTokenVolumeAreEqual) {
  const char* const spec = R"("volumes":[{"name":"kube-api-access-%","projected":{"sources":[]}},
      {"name":"data","persistentVolumeClaim":{"claimName":"c"}}],
      "containers":[{"name":"main","volumeMounts":[{"name":"kube-api-access-%"}]}])";
  const auto with_suffix = [&](std::string suffix) {
    std::string text = spec;
    for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%')) text.replace(at, 1, suffix);
    return MustDecode<Pod>(PodWith(text)).spec;
  };

  EXPECT_EQ(with_suffix("x7k2p"), with_suffix("9qwzd"));
  EXPECT_EQ(with_suffix("x7k2p").volumes.at(1).name, "data");
}

TEST(DecodePod, ReadsVolumes) {
  const auto pod = MustDecode<Pod>(PodWith(R"("volumes":[
      {"name":"a","persistentVolumeClaim":{"claimName":"c","readOnly":true}},{"name":"b","emptyDir":{}},
      {"name":"c","rbd":{"image":"i","pool":"p","monitors":["m1","m2"]}},{"name":"d","ephemeral":{"volumeClaimTemplate":{}}},
      {"name":"e","azureDisk":{"diskName":"n","diskURI":"u","kind":"Managed"}},{"name":"f","csi":{"driver":"d"}}])"));

  using Source = Volume::Source;
  const std::vector<Volume>& volumes = pod.spec.volumes;
  ASSERT_EQ(volumes.size(), 6U);
  EXPECT_EQ(volumes[0].name, "a");
  EXPECT_EQ(volumes[0].source, Source::kPersistentVolumeClaim);
  EXPECT_EQ(volumes[0].id, "c");
  EXPECT_TRUE(volumes[0].read_only);
  EXPECT_EQ(volumes[1].source, Source::kOther);
  EXPECT_EQ(volumes[2].source, Source::kRbd);
  EXPECT_EQ(volumes[2].id, "i");
  EXPECT_EQ(volumes[2].pool, "p");
  EXPECT_THAT(volumes[2].monitors, ElementsAre("m1", "m2"));
  EXPECT_EQ(volumes[3].source, Source::kEphemeral);
  EXPECT_EQ(volumes[4].source, Source::kAzureDisk);
  EXPECT_EQ(volumes[4].id, "n");
  EXPECT_EQ(volumes[4].pool, "u");
  EXPECT_EQ(volumes[4].disk_kind, "Managed");
  EXPECT_EQ(volumes[5].source, Source::kCsi);
  EXPECT_EQ(volumes[5].id, "d");
}

TEST(DecodePod, KeepsStatusesThatCarryResources) {
  const auto pod =
      MustDecode<Pod>(R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Running","nominatedNodeName":"n",
      "startTime":"1970-01-01T00:00:01Z","conditions":[{"type":"PodScheduled","status":"False","reason":"r","message":"m",
        "observedGeneration":2}],
      "initContainerStatuses":[{"name":"i","allocatedResources":{}}],
      "containerStatuses":[{"name":"a"},{"name":"b","resources":{"requests":{"cpu":"1"}}},{"name":"c","resources":{}}],
      "resources":{},"extendedResourceClaimStatus":{"resourceClaimName":"e","requestMappings":[
        {"containerName":"a","resourceName":"b","requestName":"c"}]},
      "resourceClaimStatuses":[{"name":"x","resourceClaimName":"y"}]}})");

  ASSERT_EQ(pod.status.container_statuses.size(), 2U);
  EXPECT_EQ(pod.status.container_statuses[0].name, "b");
  EXPECT_EQ(pod.status.container_statuses[0].resource_requests->size(), 1U);
  EXPECT_FALSE(pod.status.container_statuses[0].allocated_resources);
  EXPECT_EQ(pod.status.container_statuses[1].name, "i");
  EXPECT_TRUE(pod.status.container_statuses[1].allocated_resources);
  EXPECT_TRUE(pod.status.has_resources);
  EXPECT_FALSE(pod.status.resource_requests);
  ASSERT_NE(pod.status.Condition("PodScheduled"), nullptr);
  EXPECT_EQ(pod.status.Condition("PodScheduled")->observed_generation, 2);
  EXPECT_EQ(pod.status.start_time, Time{1'000'000'000});
  EXPECT_EQ(pod.status.extended_resource_claim_status->mappings[0].request_name, "c");
  EXPECT_EQ(pod.status.resource_claim_statuses[0].claim_name, "y");
}

TEST(DecodePodTemplate, KeepsLabelsAnnotationsAndSpec) {
  const auto document = ParseJson(R"({"metadata":{"name":"x","labels":{"a":"b"},"annotations":{"c":"d"}},
      "spec":{"containers":[{"name":"c"}]}})")
                            .value();
  const Result<Pod> pod = DecodePodTemplate(document.root());

  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ(pod->meta.name, "");
  EXPECT_EQ(pod->meta.labels, (Labels{{"a", "b"}}));
  EXPECT_EQ(pod->meta.annotations, (Labels{{"c", "d"}}));
  EXPECT_EQ(pod->spec.containers.size(), 1U);
}

TEST(DecodeNode, ReadsSpecAndStatus) {
  const auto node = MustDecode<Node>(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},
      "spec":{"unschedulable":true,"taints":[{"key":"k","value":"v","effect":"NoSchedule"}],
              "podPreemptionPolicy":{"disableResizePreemption":["a"]}},
      "status":{"allocatable":{"cpu":"4","pods":110},"capacity":{"cpu":"8"},"conditions":[{"type":"Ready","status":"True"}],
                "images":[{"names":["a","b"],"sizeBytes":12345678901},{"names":null}],"declaredFeatures":["F"]}})");

  EXPECT_TRUE(node.unschedulable);
  EXPECT_THAT(node.taints, ElementsAre(Taint{"k", "v", "NoSchedule"}));
  EXPECT_TRUE(node.has_preemption_policy);
  EXPECT_THAT(node.disable_resize_preemption, ElementsAre("a"));
  EXPECT_EQ(node.allocatable.Find("pods")->Value(), 110);
  EXPECT_EQ(node.allocatable.Find("cpu")->Value(), 4);
  EXPECT_THAT(node.images, ElementsAre(ContainerImage{{"a", "b"}, 12345678901}, ContainerImage{}));
  EXPECT_THAT(node.conditions, ElementsAre(NodeCondition{"Ready", "True"}));
  EXPECT_THAT(node.declared_features, ElementsAre("F"));
}

TEST(DecodeStorage, ReadsVolumesAndClaims) {
  const auto volume =
      MustDecode<PersistentVolume>(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v"},
      "spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"claimRef":{"namespace":"ns","name":"c","uid":"u"},
        "storageClassName":"fast","volumeMode":"Block","csi":{"driver":"d","volumeHandle":"h"},
        "nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["z"]}]}]}}},
      "status":{"phase":"Bound"}})");
  const auto claim = MustDecode<PersistentVolumeClaim>(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim",
      "spec":{"accessModes":["ReadOnlyMany"],"selector":{"matchLabels":{"a":"b"}},"resources":{"requests":{"storage":"2Gi"}},
        "volumeName":"v","storageClassName":"","volumeAttributesClassName":"x"},"status":{"phase":"Pending"}})");

  EXPECT_EQ(volume.claim_ref->name, "c");
  EXPECT_EQ(volume.node_affinity->terms.size(), 1U);
  EXPECT_EQ(volume.source.source, Volume::Source::kCsi);
  EXPECT_EQ(volume.csi_driver + volume.csi_handle, "dh");
  EXPECT_EQ(volume.phase, "Bound");
  EXPECT_EQ(claim.storage_class_name, "");
  EXPECT_EQ(claim.requests.Find("storage")->Value(), int64_t{2} << 30);
  EXPECT_EQ(claim.selector->match_labels, (Labels{{"a", "b"}}));
  EXPECT_EQ(claim.volume_attributes_class_name, "x");
}

TEST(DecodeStorage, ReadsClassesAndDrivers) {
  const auto storage_class = MustDecode<StorageClass>(R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass",
      "provisioner":"p","volumeBindingMode":"WaitForFirstConsumer",
      "allowedTopologies":[{"matchLabelExpressions":[{"key":"zone","values":["a","b"]}]}]})");
  const auto node = MustDecode<CsiNode>(R"({"apiVersion":"storage.k8s.io/v1","kind":"CSINode","spec":{"drivers":[
      {"name":"d","nodeID":"i","topologyKeys":["zone"],"allocatable":{"count":3}},{"name":"e"}]}})");
  const auto driver = MustDecode<CsiDriver>(R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver",
      "spec":{"storageCapacity":true,"preventPodSchedulingIfMissing":false}})");
  const auto capacity =
      MustDecode<CsiStorageCapacity>(R"({"apiVersion":"storage.k8s.io/v1beta1","kind":"CSIStorageCapacity",
      "storageClassName":"s","capacity":"5Gi","nodeTopology":{}})");
  const auto attachment = MustDecode<VolumeAttachment>(R"({"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttachment",
      "spec":{"attacher":"a","nodeName":"n","source":{"inlineVolumeSpec":{"csi":{"driver":"d","volumeHandle":"h"}}}},
      "status":{"attached":true}})");

  EXPECT_THAT(storage_class.allowed_topologies.at(0).requirements.at(0).values, ElementsAre("a", "b"));
  EXPECT_EQ(storage_class.volume_binding_mode, "WaitForFirstConsumer");
  EXPECT_EQ(node.drivers.at(0).allocatable_count, 3);
  EXPECT_FALSE(node.drivers.at(1).allocatable_count);
  EXPECT_EQ(driver.storage_capacity, true);
  EXPECT_EQ(driver.prevent_pod_scheduling_if_missing, false);
  EXPECT_TRUE(capacity.node_topology);
  EXPECT_FALSE(capacity.maximum_volume_size);
  EXPECT_EQ(attachment.inline_volume->csi_handle, "h");
  EXPECT_TRUE(attachment.attached);
}

TEST(DecodeWorkload, ReadsSelectors) {
  const auto service = MustDecode<Service>(R"({"apiVersion":"v1","kind":"Service","spec":{"selector":{"a":"b"}}})");
  const auto headless = MustDecode<Service>(R"({"apiVersion":"v1","kind":"Service","spec":{}})");
  const auto set = MustDecode<ReplicaSet>(R"({"apiVersion":"apps/v1","kind":"ReplicaSet",
      "spec":{"selector":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}})");
  const auto budget = MustDecode<PodDisruptionBudget>(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget",
      "spec":{"minAvailable":"50%","selector":{}},
      "status":{"disruptionsAllowed":2,"disruptedPods":{"z":"2026-01-01T00:00:00Z","a":null}}})");
  const auto priority = MustDecode<PriorityClass>(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass",
      "value":1000,"globalDefault":true,"preemptionPolicy":"Never"})");

  EXPECT_EQ(service.selector, (Labels{{"a", "b"}}));
  EXPECT_FALSE(headless.selector);
  EXPECT_EQ(set.selector->match_expressions.at(0).op, "Exists");
  EXPECT_EQ(budget.disruptions_allowed, 2);
  EXPECT_THAT(budget.disrupted_pods, ElementsAre("a", "z"));
  EXPECT_EQ(priority.value, 1000);
  EXPECT_TRUE(priority.global_default);
}

TEST(DecodeDevices, ReadsClaimsAndClasses) {
  const auto claim = MustDecode<ResourceClaim>(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
      "metadata":{"name":"c","namespace":"ns"},"status":{"allocation":{"devices":{}},"reservedFor":[{"uid":"u"}]}})");
  EXPECT_TRUE(claim.allocation.has_value());
  EXPECT_EQ(claim.status, R"({"allocation":{"devices":{}},"reservedFor":[{"uid":"u"}]})");

  const auto fresh = MustDecode<ResourceClaim>(R"({"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim",
      "metadata":{"name":"c","namespace":"ns"},"status":{}})");
  EXPECT_FALSE(fresh.allocation.has_value());
  EXPECT_EQ(fresh.status, "");

  const auto device_class = MustDecode<DeviceClass>(R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass",
      "metadata":{"name":"gpu"},"spec":{"extendedResourceName":"example.com/gpu"}})");
  EXPECT_EQ(device_class.extended_resource_name, "example.com/gpu");
}

TEST(DecodeDevices, ReadsSlicesAndRules) {
  const auto slice = MustDecode<ResourceSlice>(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",
      "metadata":{"name":"s"},"spec":{"driver":"d","pool":{"name":"p","generation":3,"resourceSliceCount":2},"allNodes":true,
      "perDeviceNodeSelection":false,"sharedCounters":[{"name":"set","counters":{"memory":{"value":"40Gi"}}}],
      "devices":[{"name":"dev","attributes":{"z":{"bool":true},"a":{"int":7},"v":{"version":"1.2.3"},"l":{"strings":["x","y"]},
      "n":{}},"capacity":{"memory":{"value":"40Gi","requestPolicy":{"default":"1Gi","validRange":{"min":"1Gi"}}}},
      "consumesCounters":[{"counterSet":"set","counters":{"memory":{"value":"10Gi"}}}],
      "taints":[{"key":"k","effect":"NoSchedule"}],"nodeName":"n1","allowMultipleAllocations":true}]}})");
  EXPECT_EQ(slice.pool, (ResourceSlice::Pool{"p", 3, 2}));
  EXPECT_EQ(slice.per_device_node_selection, false);
  EXPECT_EQ(slice.shared_counters.at(0).counters.Find("memory")->String(), "40Gi");
  const Device& device = slice.devices.at(0);
  EXPECT_EQ(std::get<int64_t>(FindNamed(device.attributes, "a")->value), 7);
  EXPECT_EQ(std::get<DeviceAttribute::Version>(FindNamed(device.attributes, "v")->value).text, "1.2.3");
  EXPECT_THAT(std::get<std::vector<std::string>>(FindNamed(device.attributes, "l")->value), ElementsAre("x", "y"));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(FindNamed(device.attributes, "n")->value));
  EXPECT_EQ(FindNamed(device.attributes, "missing"), nullptr);
  EXPECT_EQ(FindNamed(device.capacity, "memory")->request_policy->valid_range->min->String(), "1Gi");
  EXPECT_EQ(device.nodes.node_name, "n1");
  EXPECT_TRUE(device.allow_multiple_allocations);

  const auto rule = MustDecode<DeviceTaintRule>(R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceTaintRule",
      "metadata":{"name":"r"},"spec":{"deviceSelector":{"pool":"p"},"taint":{"key":"k","effect":"NoExecute"}}})");
  EXPECT_EQ(rule.device_selector->pool, "p");
  EXPECT_EQ(rule.taint.effect, "NoExecute");
}

TEST(DecodeDevices, ReadsWhatAClaimAsksForAndWhatItGot) {
  const auto claim = MustDecode<ResourceClaim>(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
      "metadata":{"name":"c","namespace":"ns"},"spec":{"devices":{"requests":[
      {"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":2,"adminAccess":false,
        "selectors":[{"cel":{"expression":"true"}},{}],"capacity":{"requests":{"memory":"1Gi"}}}},
      {"name":"f","firstAvailable":[{"name":"x","deviceClassName":"gpu"}]}],
      "constraints":[{"matchAttribute":"d/numa","requests":["r"]}],
      "config":[{"requests":["r"],"opaque":{"driver":"d","parameters":{"a":1}}}]}},
      "status":{"allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"dev","shareID":"u",
        "consumedCapacity":{"memory":"1Gi"},"bindingConditions":["Ready"]}]},"allocationTimestamp":"1970-01-01T00:00:05Z"},
      "reservedFor":[{"resource":"pods","name":"a","uid":"u"}],
      "devices":[{"driver":"d","pool":"p","device":"dev","conditions":[{"type":"Ready","status":"True"}]}]}})");
  EXPECT_EQ(claim.requests.at(0).exactly->count, 2);
  EXPECT_EQ(claim.requests.at(0).exactly->admin_access, false);
  EXPECT_FALSE(claim.requests.at(0).exactly->selectors.at(1).cel_expression.has_value());
  EXPECT_EQ(claim.requests.at(1).first_available.at(0).name, "x");
  EXPECT_EQ(claim.config.at(0).json, R"({"opaque":{"driver":"d","parameters":{"a":1}}})");
  EXPECT_EQ(claim.allocation->results.at(0).consumed_capacity->Find("memory")->String(), "1Gi");
  EXPECT_EQ(claim.allocation->allocation_timestamp, Time{Seconds(5).nanos});
  EXPECT_EQ(claim.reserved_for.at(0).uid, "u");
  EXPECT_EQ(claim.devices.at(0).conditions.at(0).status, "True");
}

TEST(DecodeObject, DispatchesByKindAndGroup) {
  EXPECT_EQ(DecodeError(R"({"apiVersion":"serving.knative.dev/v1","kind":"Service"})").code, Code::kNotFound);
  EXPECT_EQ(DecodeError(R"({"apiVersion":"v1","kind":"ConfigMap"})").code, Code::kNotFound);
  EXPECT_EQ(DecodeError(R"({"apiVersion":"v1","kind":"ReplicaSet"})").code, Code::kNotFound);
  EXPECT_EQ(DecodeError(R"({"apiVersion":"v1"})").message, "kind is missing");
  EXPECT_EQ(DecodeError(R"({"kind":"Pod"})").message, "Pod: apiVersion is missing");
  EXPECT_EQ(DecodeError("[]").message, "expected an object, found a list");
  EXPECT_EQ(DecodeError(R"({"apiVersion":"v1","kind":"Pod","spec":1})").message,
            "Pod: spec: expected an object, found 1");
}

TEST(DecodeObject, RefusesWrongTypesWithThePath) {
  struct Case {
    const char* members;
    const char* error;
  };
  const Case kCases[] = {
      {R"("containers":"x")", "spec.containers: expected a list, found a string"},
      {R"("containers":[7])", "spec.containers[0]: expected an object, found 7"},
      {R"("containers":[{},{"name":5}])", "spec.containers[1].name: expected a string, found 5"},
      {R"("containers":[{"resources":[]}])", "spec.containers[0].resources: expected an object, found a list"},
      {R"("containers":[{"resources":{"requests":{"cpu":true}}}])",
       "spec.containers[0].resources.requests.cpu: expected a string, found a boolean"},
      {R"("containers":[{"ports":[{"hostPort":"80"}]}])",
       "spec.containers[0].ports[0].hostPort: expected a 32-bit integer, found a string"},
      {R"("nodeName":{})", "spec.nodeName: expected a string, found an object"},
      {R"("nodeSelector":{"a":1})", "spec.nodeSelector.a: expected a string, found 1"},
      {R"("nodeSelector":["a"])", "spec.nodeSelector: expected an object, found a list"},
      {R"("priority":2147483648)", "spec.priority: expected a 32-bit integer, found 2147483648"},
      {R"("priority":1.5)", "spec.priority: expected a 32-bit integer, found 1.5"},
      {R"("hostNetwork":"true")", "spec.hostNetwork: expected a boolean, found a string"},
      {R"("schedulingGates":["g"])", "spec.schedulingGates[0]: expected an object, found a string"},
      {R"("schedulingGroup":"g")", "spec.schedulingGroup: expected an object, found a string"},
      {R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"namespaces":[1]}]}})",
       "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaces[0]: expected a string, "
       "found 1"},
  };

  for (const Case& test : kCases) {
    SCOPED_TRACE(test.members);
    const Error error = DecodeError(PodWith(test.members));
    EXPECT_EQ(error.code, Code::kInvalid);
    EXPECT_EQ(error.message, std::string("Pod ns/p: ") + test.error);
  }
}

TEST(DecodeObject, RefusesBadTimesAndQuantities) {
  EXPECT_THAT(DecodeError(PodWith(R"("overhead":{"cpu":"1x"})")).message, HasSubstr("Pod ns/p: spec.overhead.cpu: "));
  EXPECT_THAT(DecodeError(PodWith(R"("overhead":{"cpu":""})")).message, HasSubstr("spec.overhead.cpu: "));
  EXPECT_THAT(
      DecodeError(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","creationTimestamp":"yesterday"}})")
          .message,
      HasSubstr("Node n: metadata.creationTimestamp: "));
}

TEST(DecodeObject, NamesTheLineWhereItIsKnown) {
  const auto documents =
      ParseYaml("apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\nspec:\n  taints:\n  - key: 5\n").value();

  const Result<Object> node = DecodeObject(documents.at(0).root());

  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().message, "line 7: Node n1: spec.taints[0].key: expected a string, found 5");
}

TEST(DecodeObject, AcceptsNullEverywhere) {
  const auto pod = MustDecode<Pod>(R"({"apiVersion":"v1","kind":"Pod","metadata":null,"status":null,"spec":{
      "containers":[null,{"resources":{"requests":{"cpu":null}},"ports":[null]}],"nodeSelector":{"a":null},
      "volumes":[null],"tolerations":null,"affinity":null}})");

  ASSERT_EQ(pod.spec.containers.size(), 2U);
  ASSERT_NE(pod.spec.containers[1].requests.Find("cpu"), nullptr);
  EXPECT_TRUE(pod.spec.containers[1].requests.Find("cpu")->IsZero());
  EXPECT_EQ(pod.spec.node_selector, (Labels{{"a", ""}}));
}

TEST(DecodeObject, AcceptsExtremeQuantities) {
  const auto pod =
      MustDecode<Pod>(PodWith(R"("overhead":{"a":-1,"b":"-5Gi","c":"1e40","d":"999999999999999999999Ei","e":1e-20})"));

  EXPECT_EQ(pod.spec.overhead.Find("a")->Value(), -1);
  EXPECT_EQ(pod.spec.overhead.Find("b")->Sign(), -1);
  EXPECT_EQ(pod.spec.overhead.Find("c")->Sign(), 1);
  EXPECT_EQ(pod.spec.overhead.Find("d")->Sign(), 1);
}

TEST(DecodeObject, TakesTheLastOfRepeatedMembers) {
  const auto pod = MustDecode<Pod>(
      PodWith(R"("priority":1,"priority":2,"overhead":{"cpu":1,"cpu":2},"nodeSelector":{"a":"1","a":"2"})"));

  EXPECT_EQ(pod.spec.priority, 2);
  EXPECT_EQ(pod.spec.overhead.size(), 1U);
  EXPECT_EQ(pod.spec.overhead.Find("cpu")->Value(), 2);
  EXPECT_EQ(pod.spec.node_selector, (Labels{{"a", "2"}}));
}

TEST(DecodeObject, AcceptsLargeObjects) {
  const std::string long_text(1 << 20, 'x');
  std::string containers;
  for (int i = 0; i < 1000; ++i) containers += fmt::format(R"({}{{"name":"c{}"}})", i == 0 ? "" : ",", i);
  std::string labels;
  for (int i = 10'000; i > 0; --i) labels += fmt::format(R"("l{}":"v",)", i);

  const auto pod =
      MustDecode<Pod>(PodWith(fmt::format(R"("schedulerName":"{}","containers":[{}])", long_text, containers)));
  const auto node = MustDecode<Node>(
      fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"labels":{{{}"last":"v"}}}}}})", labels));

  EXPECT_EQ(pod.spec.scheduler_name, long_text);
  EXPECT_EQ(pod.spec.containers.size(), 1000U);
  EXPECT_EQ(node.meta.labels.size(), 10'001U);
  EXPECT_TRUE(node.meta.labels.Has("l7"));
}

TEST(DecodeObject, RefusesDeepNestingWithoutHarm) {
  const std::string deep = std::string(150, '[') + std::string(150, ']');
  const std::string too_deep = std::string(100'000, '[') + std::string(100'000, ']');

  EXPECT_EQ(DecodeError(PodWith(R"("nodeName":)" + deep)).message,
            "Pod ns/p: spec.nodeName: expected a string, found a list");
  EXPECT_NE(DecodeError(PodWith(R"("nodeName":)" + too_deep)).message, "");
}

TEST(DecodeLabelSelector, NullIsNoSelector) {
  const auto document = ParseJson(R"({"a":null,"b":{"matchLabels":[]}})").value();

  EXPECT_EQ(DecodeLabelSelector(document.root()["a"], "x").value(), std::nullopt);
  EXPECT_EQ(DecodeLabelSelector(document.root()["b"], "x.y").error().message,
            "x.y.matchLabels: expected an object, found a list");
}

TEST(Decode, PodGroupsSayHowManyPodsTheyNeed) {
  const Object gang = DecodeObject(ParseJson(R"({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
      "metadata": {"name": "g", "namespace": "ns"}, "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}, "priority": 7,
      "disruptionMode": {"all": {}}, "schedulingConstraints": {"topology": [{"key": "rack"}]},
      "parentCompositePodGroupName": "tree"}})")
                                       .value()
                                       .root())
                          .value();
  const Object basic = DecodeObject(ParseJson(R"({"apiVersion": "scheduling.k8s.io/v1alpha3",
      "kind": "CompositePodGroup", "metadata": {"name": "tree", "namespace": "ns"},
      "spec": {"schedulingPolicy": {"basic": {}}}})")
                                        .value()
                                        .root())
                           .value();

  const GroupSpec& spec = std::get<PodGroup>(gang).spec;
  EXPECT_EQ(spec.min_count, 3);
  EXPECT_EQ(spec.priority, 7);
  EXPECT_TRUE(spec.is_disrupted_as_one);
  EXPECT_EQ(spec.topology_key, "rack");
  EXPECT_EQ(spec.parent, "tree");
  EXPECT_EQ(std::get<CompositePodGroup>(basic).spec, GroupSpec());
}

}  // namespace
}  // namespace berth::api
