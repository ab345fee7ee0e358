// SPDX-License-Identifier: Apache-2.0
// Whatever slices, claims, classes and taint rules say: a pod gets devices or a message, what another tenant asks for
// is decided as if these claims and classes were not there, and nothing is kept of what has gone.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode/object_stream.h"
#include "base/assert.h"
#include "cluster/devices/test_devices.h"
#include "plugins/dynamic_resources/allocator/allocator.h"
#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/helpers/plugin_trial.h"

namespace {

using namespace berth;

constexpr const char* kOwnDriver = "own.example.com";  // Of the other tenant.

// Objects that the device state follows, out of any list of manifests.
std::vector<api::Object> DecodeObjects(std::string_view json) {
  std::vector<api::Object> objects;
  auto document = api::ParseJson(json);
  if (!document) return objects;
  std::vector<api::Document> documents;
  documents.push_back(*std::move(document));
  const auto manifests = api::FlattenManifests(documents);
  if (!manifests) return objects;
  for (const auto& manifest : *manifests) {
    auto object = api::DecodeObject(manifest);
    if (!object) continue;
    const std::string_view kind = api::KindOf(*object);
    const bool is_own = api::MetaOf(*object).name.starts_with("own");
    if (!is_own &&
        (kind == "ResourceSlice" || kind == "ResourceClaim" || kind == "DeviceClass" || kind == "DeviceTaintRule"))
      objects.push_back(*std::move(object));
  }
  return objects;
}

// Each gate for features of devices on or off.
cluster::DeviceOptions DrawOptions(uint8_t bits) {
  cluster::DeviceOptions options;
  options.consumable_capacity = (bits & 1) == 0;
  options.fractional_capacity = (bits & 2) == 0 && options.consumable_capacity;
  options.partitionable_devices = (bits & 4) == 0;
  options.binding_conditions = (bits & 8) == 0;
  options.list_attributes = (bits & 16) != 0;
  options.derived_attributes = (bits & 32) != 0;
  options.compatibility_groups = (bits & 64) != 0 && options.partitionable_devices;
  options.taints = (bits & 128) == 0;
  return options;
}

void PutOwn(cluster::Cluster& cluster) {
  api::DeviceClass device_class = cluster::TestClass("own");
  device_class.selectors.push_back({std::string("device.driver == \"") + kOwnDriver + "\""});
  cluster.objects.Put(device_class);
  api::ResourceSlice slice = cluster::TestSlice("own", "own", "n", cluster::TestDevices(2));
  slice.driver = kOwnDriver;
  cluster.objects.Put(slice);
}

void TryPod(cluster::Cluster& cluster, const api::ResourceClaim& claim) {
  cluster::PodBuilder pod("p");
  pod.Namespace(claim.meta.ns);
  pod.raw().spec.resource_claims = {{.name = "c", .claim_name = claim.meta.name, .template_name = {}}};
  plugins::PluginTrial trial(cluster, pod);
  const plugins::DynamicResources plugin;
  const framework::Status status = plugin.PreFilter(trial.cycle()).status;
  if (!status.ok()) {
    BERTH_ASSERT(!status.message().empty());
    return;
  }
  const auto rejections = trial.Filter(plugin);
  for (const auto& [node, rejection] : rejections) BERTH_ASSERT(!rejection.ends_with(": "));
  if (!rejections.empty()) return;
  (void)trial.Score(plugin);
  if (!plugin.Reserve(trial.cycle(), trial.nodes().front()).ok()) return;
  framework::Effects effects;
  plugin.Unreserve(trial.cycle(), trial.nodes().front(), effects);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0 || size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  cluster::Cluster cluster({}, DrawOptions(data[0]));
  cluster.AddNode(cluster::NodeBuilder("n"));
  PutOwn(cluster);
  cluster::TableSizes before;
  cluster.devices.AppendSizes(before);

  const std::vector<api::Object> objects = DecodeObjects(text);
  bool has_slices = false;
  bool has_rules = false;
  for (const api::Object& object : objects) {
    std::visit([&](const auto& one) { cluster.objects.Put(one); }, object);
    has_slices |= std::holds_alternative<api::ResourceSlice>(object);
    has_rules |= std::holds_alternative<api::DeviceTaintRule>(object);
  }
  for (const api::Object& object : objects) {
    if (const auto* claim = std::get_if<api::ResourceClaim>(&object)) TryPod(cluster, *claim);
  }

  const api::ResourceClaim own = cluster::TestClaim("own", {cluster::TestRequest("req", 1, "own")});
  const std::vector<const api::ResourceClaim*> claims = {&own};
  const plugins::Allocation allocation = plugins::AllocateDevices(cluster, cluster.order().front(), claims);
  using Outcome = plugins::Allocation::Outcome;
  if (allocation.outcome == Outcome::kError) BERTH_ASSERT(!allocation.error.empty());
  // Drivers can break a node for everybody, and administrators can taint all devices; tenants can do neither.
  const bool names_driver = text.find("own") != std::string_view::npos;
  if (!has_slices && !has_rules && !names_driver) BERTH_ASSERT(allocation.outcome == Outcome::kAllocated);

  for (const api::Object& object : objects) {
    const api::ObjectMeta& meta = api::MetaOf(object);
    cluster.objects.Erase(api::KindOf(object), meta.ns, meta.name);
  }
  cluster::TableSizes after;
  cluster.devices.AppendSizes(after);
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].table != "device selectors") BERTH_ASSERT(before[i].size == after[i].size);
  }
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    R"j( {"kind":"List","apiVersion":"v1","items":[{"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu"},"spec":{)j"
    R"j("selectors":[{"cel":{"expression":"device.attributes['d'].model == 'a' && device.capacity['d'].mem.isGreaterThan(quantity('1Gi'))"}}],)j"
    R"j("extendedResourceName":"example.com/gpu"}},)j"
    R"j({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"n",)j"
    R"j("pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"a","attributes":{"model":{"string":"a"},"v":{"version":"1.2.3"}},)j"
    R"j("capacity":{"mem":{"value":"4Gi","requestPolicy":{"default":"1Gi","validRange":{"min":"1Gi","step":"1Mi"}}}},"allowMultipleAllocations":true,)j"
    R"j("taints":[{"key":"k","effect":"NoSchedule"}]},{"name":"b","attributes":{"model":{"string":"a"}},"capacity":{"mem":{"value":"2Gi"}}}]}},)j"
    R"j({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"c","namespace":"x","uid":"u"},"spec":{"devices":{"requests":[)j"
    R"j({"name":"r","exactly":{"deviceClassName":"gpu","allocationMode":"ExactCount","count":1,"capacity":{"requests":{"mem":"1Gi"}},)j"
    R"j("tolerations":[{"operator":"Exists"}],"selectors":[{"cel":{"expression":"device.driver == 'd'"}}]}}],)j"
    R"j("constraints":[{"matchAttribute":"d/model"}]}}}]})j",
    R"j(@{"kind":"List","apiVersion":"v1","items":[{"kind":"DeviceClass","apiVersion":"resource.k8s.io/v1","metadata":{"name":"gpu"},"spec":{}},)j"
    R"j({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{"name":"s"},"spec":{"driver":"d","allNodes":true,)j"
    R"j("pool":{"name":"p","generation":2,"resourceSliceCount":2},"sharedCounters":[{"name":"set","counters":{"m":{"value":"40"}}}]}},)j"
    R"j({"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{"name":"t"},"spec":{"driver":"d","perDeviceNodeSelection":true,)j"
    R"j("pool":{"name":"p","generation":2,"resourceSliceCount":2},"devices":[{"name":"a","nodeName":"n","consumesCounters":[{"counterSet":"set",)j"
    R"j("counters":{"m":{"value":"30"}}}]},{"name":"b","allNodes":true,"bindingConditions":["Ready"],"consumesCounters":[{"counterSet":"set",)j"
    R"j("counters":{"m":{"value":"20"}}}]}]}},{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"c","namespace":"x","uid":"u"},)j"
    R"j("spec":{"devices":{"requests":[{"name":"r","firstAvailable":[{"name":"two","deviceClassName":"gpu","count":2},{"name":"all","deviceClassName":"gpu",)j"
    R"j("allocationMode":"All"}]},{"name":"q","exactly":{"deviceClassName":"gpu","adminAccess":true}}],"constraints":[{"distinctAttribute":"d/a","requests":["r"]}],)j"
    R"j("config":[{"requests":["r"],"opaque":{"driver":"d","parameters":{}}}]}}}]})j",
    R"j( {"kind":"List","apiVersion":"v1","items":[{"kind":"DeviceTaintRule","apiVersion":"resource.k8s.io/v1","metadata":{"name":"r"},"spec":{)j"
    R"j("deviceSelector":{"driver":"d","pool":"p"},"taint":{"key":"k","value":"v","effect":"NoExecute"}}},)j"
    R"j({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"a","namespace":"x","uid":"v","deletionTimestamp":"2026-01-01T00:00:00Z",)j"
    R"j("annotations":{"resource.kubernetes.io/extended-resource-claim":"true"},"ownerReferences":[{"kind":"Pod","name":"p","uid":"uid-p","controller":true}]},)j"
    R"j("status":{"allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"a","shareID":"s","consumedCapacity":{"mem":"1Gi"}},)j"
    R"j({"request":"r","driver":"d","pool":"p","device":"b","bindingConditions":["Ready"],"adminAccess":false}]},"nodeSelector":{"nodeSelectorTerms":[)j"
    R"j({"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]}},"reservedFor":[{"resource":"pods","name":"p","uid":"uid-p"}],)j"
    R"j("devices":[{"driver":"d","pool":"p","device":"b","conditions":[{"type":"Ready","status":"True"}]}]}}]})j",
    nullptr};
