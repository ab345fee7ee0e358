// SPDX-License-Identifier: Apache-2.0
#include "api/wire/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace berth::api::wire {
namespace {

const Field* FieldOf(std::string_view message, std::string_view name) {
  const Message* const found = FindMessage(message);
  if (found == nullptr) return nullptr;
  for (const Field& field : found->fields()) {
    if (field.name() == name) return &field;
  }
  return nullptr;
}

TEST(WireTable, FindsKindsByVersionAndName) {
  const Kind* const pod = FindKind("v1", "Pod");
  ASSERT_NE(pod, nullptr);
  const Kind* const node = FindKind("v1", "Node");
  ASSERT_NE(node, nullptr);

  EXPECT_EQ(pod->plural, "pods");
  EXPECT_EQ(pod->list_kind, "PodList");
  EXPECT_TRUE(pod->namespaced);
  EXPECT_FALSE(node->namespaced);
  EXPECT_EQ(MessageAt(pod->message).name, "io.k8s.api.core.v1.Pod");
  EXPECT_EQ(FindKind("v2", "Pod"), nullptr);
  EXPECT_EQ(FindKind("v1", ""), nullptr);
}

TEST(WireTable, KnowsTheKindsThatASchedulerWatches) {
  constexpr std::pair<std::string_view, std::string_view> kWatched[] = {{"v1", "Pod"},
                                                                        {"v1", "Node"},
                                                                        {"v1", "Namespace"},
                                                                        {"v1", "Service"},
                                                                        {"v1", "ReplicationController"},
                                                                        {"v1", "PersistentVolume"},
                                                                        {"v1", "PersistentVolumeClaim"},
                                                                        {"apps/v1", "ReplicaSet"},
                                                                        {"apps/v1", "StatefulSet"},
                                                                        {"policy/v1", "PodDisruptionBudget"},
                                                                        {"storage.k8s.io/v1", "StorageClass"},
                                                                        {"storage.k8s.io/v1", "CSINode"},
                                                                        {"storage.k8s.io/v1", "CSIDriver"},
                                                                        {"storage.k8s.io/v1", "CSIStorageCapacity"},
                                                                        {"storage.k8s.io/v1", "VolumeAttachment"},
                                                                        {"resource.k8s.io/v1", "ResourceClaim"},
                                                                        {"resource.k8s.io/v1", "ResourceSlice"},
                                                                        {"resource.k8s.io/v1", "DeviceClass"},
                                                                        {"scheduling.k8s.io/v1", "PriorityClass"},
                                                                        {"coordination.k8s.io/v1", "Lease"},
                                                                        {"events.k8s.io/v1", "Event"}};
  for (const auto& [version, name] : kWatched) {
    SCOPED_TRACE(name);
    const Kind* const kind = FindKind(version, name);
    ASSERT_NE(kind, nullptr);

    EXPECT_FALSE(kind->plural.empty());
    EXPECT_NE(FindKind(version, kind->list_kind), nullptr);
  }
}

TEST(WireTable, OptionsAreFoundUnderEveryVersion) {
  EXPECT_EQ(FindKind("apps/v1", "DeleteOptions"), FindKind("meta.k8s.io/v1", "DeleteOptions"));
  EXPECT_NE(FindKind("v1", "DeleteOptions"), nullptr);
}

TEST(WireTable, KnowsHowListsMerge) {
  const Field* const ports = FieldOf("io.k8s.api.core.v1.Container", "ports");
  ASSERT_NE(ports, nullptr);
  const Field* const finalizers = FieldOf("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "finalizers");
  ASSERT_NE(finalizers, nullptr);

  EXPECT_TRUE(ports->Has(kPatchMerge));
  EXPECT_TRUE(ports->Has(kListMap));
  EXPECT_EQ(ports->keys().patch, "containerPort");
  EXPECT_EQ(ports->keys().list, "containerPort,protocol");
  EXPECT_TRUE(finalizers->Has(kListSet));
  EXPECT_TRUE(finalizers->keys().list.empty());
}

TEST(WireTable, KnowsGoTypesAndEnumerations) {
  const Field* const policy = FieldOf("io.k8s.api.core.v1.PodSpec", "restartPolicy");
  ASSERT_NE(policy, nullptr);
  const Field* const requests = FieldOf("io.k8s.api.core.v1.ResourceRequirements", "requests");
  ASSERT_NE(requests, nullptr);
  const Field* const node = FieldOf("io.k8s.api.core.v1.PodSpec", "nodeName");
  ASSERT_NE(node, nullptr);

  EXPECT_EQ(policy->types().element, "v1.RestartPolicy");
  EXPECT_EQ(policy->types().values, "Always,Never,OnFailure");
  EXPECT_EQ(requests->types().whole, "v1.ResourceList");
  EXPECT_TRUE(node->types().element.empty());
}

TEST(WireTable, TypeMetaHasNoNumber) {
  const Message& pod = MessageAt(FindKind("v1", "Pod")->message);

  EXPECT_EQ(pod.fields()[0].number, 0);
  EXPECT_TRUE(pod.fields()[0].Has(kInline));
  EXPECT_EQ(MessageAt(pod.fields()[0].message).fields()[0].name(), "kind");
}

// Every message that a kind reaches.
void Visit(uint16_t index, std::set<uint16_t>& seen) {
  if (!seen.insert(index).second) return;
  for (const Field& field : MessageAt(index).fields()) {
    if (field.type == Type::kMessage) Visit(field.message, seen);
  }
}

TEST(WireTable, NumbersAscendInWireOrderAndNamesAreUnique) {
  std::set<uint16_t> messages;
  for (const Kind& kind : Kinds()) Visit(kind.message, messages);
  EXPECT_GT(messages.size(), 500u);

  for (const uint16_t index : messages) {
    const Message& message = MessageAt(index);
    SCOPED_TRACE(message.name);
    std::set<std::string_view> names;
    int last = -1;
    for (const uint8_t place : message.wire_order()) {
      const Field& field = message.fields()[place];
      EXPECT_TRUE(field.number > last || field.number == 0);
      EXPECT_TRUE(field.Has(kInline) || names.insert(field.name()).second) << field.name();
      last = field.number;
    }
  }
}

}  // namespace
}  // namespace berth::api::wire
