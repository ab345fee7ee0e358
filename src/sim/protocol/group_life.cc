// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/group_life.h"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace berth::sim {
namespace {

using server::Json;
using server::ObjectPtr;

constexpr int64_t kGroups = 4;

// All pods of a group have the same size and priority, which follow from its name.
size_t Variant(const std::string& group) { return static_cast<size_t>(group.back() - '0'); }
int MemberMilliCpu(const std::string& group) { return std::array{250, 500, 1000}[Variant(group) % 3]; }
int GroupPriority(const std::string& group) { return std::array{0, 10}[Variant(group) % 2]; }

}  // namespace

void GroupLife::Start(int64_t changes, Time end) {
  for (int64_t i = 1; i <= kGroups; ++i) {
    const std::string group = fmt::format("g{}", i);
    agenda_.After(dice_.UpTo(Seconds(10)), [this, group] { CreateGroup(group); });
    for (int64_t n = dice_.Between(1, 4); n > 0; --n) {
      agenda_.After(dice_.UpTo(Seconds(10)), [this, group] { CreateMember(group); });
    }
  }
  const Duration span = end - agenda_.now();
  for (int64_t i = 0; i < changes; ++i) agenda_.After(dice_.UpTo(span), [this] { Change(); });
}

void GroupLife::Change() {
  const std::string group = fmt::format("g{}", dice_.Between(1, kGroups));
  const int64_t what = dice_.Between(0, 99);
  if (what < 40) return CreateMember(group);
  if (what < 70) {
    if (const ObjectPtr pod = PickMember(group)) cluster_.Remove(*pod);
    return;
  }
  if (cluster_.Find("PodGroup", "default/" + group) == nullptr) return CreateGroup(group);
  what < 90 ? ChangeMinCount(group) : RemoveGroup(group);
}

void GroupLife::CreateGroup(const std::string& name) {
  if (cluster_.Find("PodGroup", "default/" + name) != nullptr) return;
  const std::string policy =
      dice_.Percent(85) ? fmt::format(R"({{"gang":{{"minCount":{}}}}})", dice_.Between(1, 4)) : R"({"basic":{}})";
  cluster_.Create(fmt::format(
      R"({{"kind":"PodGroup","apiVersion":"scheduling.k8s.io/v1beta1","metadata":{{"name":"{}","namespace":"default"}},)"
      R"("spec":{{"schedulingPolicy":{},"priorityClassName":"p{}"}}}})",
      name, policy, GroupPriority(name)));
}

void GroupLife::CreateMember(const std::string& group) {
  cluster_.Create(fmt::format(
      R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{0}-{1}","namespace":"default"}},"spec":{{)"
      R"("schedulerName":"default-scheduler","priorityClassName":"p{2}","schedulingGroup":{{"podGroupName":"{0}"}},)"
      R"("containers":[{{"name":"c","image":"i","resources":{{"requests":{{"cpu":"{3}m"}}}}}}]}}}})",
      group, ++made_, GroupPriority(group), MemberMilliCpu(group)));
}

void GroupLife::ChangeMinCount(const std::string& group) {
  const ObjectPtr found = cluster_.Find("PodGroup", "default/" + group);
  if (!(*found->tree())["spec"]["schedulingPolicy"]["gang"].is_map()) return;
  cluster_.Edit(*found, "", [&](Json& next) {
    next.Make({"spec", "schedulingPolicy", "gang", "minCount"}) = Json::Int(dice_.Between(1, 4));
  });
}

void GroupLife::RemoveGroup(const std::string& group) {
  cluster_.Remove(*cluster_.Find("PodGroup", "default/" + group));
  agenda_.After(dice_.UpTo(Seconds(10)), [this, group] {
    const ObjectPtr found = cluster_.Find("PodGroup", "default/" + group);
    if (found == nullptr || !found->is_being_deleted()) return;
    cluster_.Edit(*found, "", [](Json& next) { next.Make("metadata").Erase("finalizers"); });
  });
}

ObjectPtr GroupLife::PickMember(const std::string& group) {
  std::vector<ObjectPtr> members;
  for (const auto& [key, pod] : cluster_.All("Pod")) {
    if ((*pod->tree())["spec"]["schedulingGroup"]["podGroupName"].text() == group) members.push_back(pod);
  }
  return members.empty() ? nullptr : dice_.Pick(members);
}

}  // namespace berth::sim
