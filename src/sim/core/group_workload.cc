// SPDX-License-Identifier: Apache-2.0
#include "sim/core/group_workload.h"

#include <array>
#include <utility>

#include "cluster/test_builders.h"
#include "sim/core/hold.h"
#include "sim/core/workload.h"

namespace berth::sim {
namespace {

using framework::Gate;

constexpr const char* kGroupNamespace = "default";
constexpr std::array kMemberCpus = {"250m", "500m", "1", "2"};
constexpr std::array kGroupPriorities = {0, 0, 10, 100};
constexpr std::array kMoods = {kWaits, kRefused};

}  // namespace

void GroupWorkload::Start(int64_t events, Time end) {
  for (int64_t i = dice_.Between(2, 5); i > 0; --i) CreateGroup();
  const Duration span = end - agenda_.now();
  for (int64_t i = 0; i < events; ++i) agenda_.After(dice_.UpTo(span), [this] { Change(); });
}

void GroupWorkload::CreateGroup() {
  Plan plan;
  const std::string name = "g" + std::to_string(++made_);
  plan.object.meta.ns = kGroupNamespace;
  plan.object.meta.name = name;
  api::GroupSpec& spec = plan.object.spec;
  spec.priority = dice_.Pick(kGroupPriorities);
  if (gates_.Enabled(Gate::kCompositePodGroup) && dice_.Percent(50)) AddParent(plan);
  const int64_t size = dice_.Between(2, 6);
  if (dice_.Percent(85)) spec.min_count = static_cast<int32_t>(dice_.Between(1, size));
  spec.is_disrupted_as_one = dice_.Percent(30);
  if (dice_.Percent(40)) spec.topology_key = "topology.kubernetes.io/zone";
  plan.member = MakeMember(name, *spec.priority);
  if (gates_.Enabled(Gate::kDRAWorkloadResourceClaims) && dice_.Percent(70)) {
    plan.object.claims = plan.member.spec.resource_claims;
  }
  plans_.insert_or_assign(name, plan);
  agenda_.After(dice_.UpTo(Seconds(8)), [this, object = plan.object] { server_.Write(object); });
  for (int64_t i = 0; i < size; ++i) agenda_.After(dice_.UpTo(Seconds(8)), [this, plan] { CreateMember(plan); });
}

api::Pod GroupWorkload::MakeMember(const std::string& group, int32_t priority) {
  cluster::PodBuilder pod("");
  pod.Request("cpu", dice_.Pick(kMemberCpus)).Label("group", group).Priority(priority);
  pod.SchedulerName("default-scheduler").raw().meta.uid.clear();
  if (dice_.Percent(30)) pod.Toleration("dedicated");
  if (dice_.Percent(30)) pod.Owner("Job", group);
  if (dice_.Percent(15)) pod.NodeSelector("disk", "ssd");
  if (dice_.Percent(15)) pod.AntiAffinity(cluster::Term("kubernetes.io/hostname", {{"group", group}}));
  if (dice_.Percent(10)) pod.PreemptionPolicy("Never");
  api::Pod made = pod.Build();
  made.spec.scheduling_group = group;
  if (dice_.Percent(25)) {
    const std::string claim = "claim-" + group;
    made.spec.resource_claims = {{.name = "gpu", .claim_name = claim, .template_name = {}}};
    agenda_.After(dice_.UpTo(Seconds(8)), [this, claim] { CreateClaim(claim); });
  }
  return made;
}

void GroupWorkload::CreateClaim(const std::string& name) {
  if (server_.Find<api::ResourceClaim>(kGroupNamespace, name) == nullptr) server_.Write(DeviceClaim(name, 1));
}

void GroupWorkload::AddParent(Plan& plan) {
  const std::string name = "c" + std::to_string(dice_.Between(1, 2));
  plan.object.spec.parent = name;
  const api::CompositePodGroup* known = server_.Find<api::CompositePodGroup>(kGroupNamespace, name);
  if (known != nullptr) {
    plan.object.spec.priority = known->spec.priority;
    return;
  }
  api::CompositePodGroup parent;
  parent.meta.ns = kGroupNamespace;
  parent.meta.name = name;
  parent.spec.priority = plan.object.spec.priority;
  if (dice_.Percent(60)) parent.spec.min_count = static_cast<int32_t>(dice_.Between(1, 2));
  if (dice_.Percent(30)) parent.spec.topology_key = "topology.kubernetes.io/zone";
  server_.Write(std::move(parent));
}

void GroupWorkload::CreateMember(const Plan& plan) {
  api::Pod pod = plan.member;
  pod.meta.name = plan.object.meta.name + "-" + std::to_string(++made_);
  if (dice_.Percent(20)) pod.meta.labels.Set(std::string(kMood), std::string(dice_.Pick(kMoods)));
  if (dice_.Percent(2)) pod.spec.priority = 7;  // Which its group does not have: no attempt gets far.
  server_.Write(std::move(pod));
}

void GroupWorkload::Change() {
  const int64_t what = dice_.Between(0, 99);
  if (what < 15) return CreateGroup();
  auto plan = plans_.begin();
  std::advance(plan, dice_.Between(0, static_cast<int64_t>(plans_.size()) - 1));
  const std::string& name = plan->first;
  if (what < 55) return ChangeMember(name);
  if (what < 70) return CreateMember(plan->second);
  if (what < 85) return ChangeMinCount(name);
  if (what < 92) {
    const bool is_gone = server_.Find<api::PodGroup>(kGroupNamespace, name) == nullptr;
    return is_gone ? server_.Write(plan->second.object)
                   : server_.Remove(ApiModel::Key("PodGroup", kGroupNamespace, name));
  }
  for (const std::string& member : MembersOf(name)) server_.DeletePod(kGroupNamespace, member, dice_.Percent(50));
}

void GroupWorkload::ChangeMinCount(const std::string& group) {
  server_.Update<api::PodGroup>(kGroupNamespace, group, [&](api::PodGroup& changed) {
    if (changed.spec.min_count) changed.spec.min_count = static_cast<int32_t>(dice_.Between(1, 6));
  });
}

void GroupWorkload::ChangeMember(const std::string& group) {
  const std::vector<std::string> names = MembersOf(group);
  if (names.empty()) return CreateMember(plans_.at(group));
  const std::string name = dice_.Pick(names);
  const bool is_made_anew = dice_.Percent(30);
  server_.DeletePod(kGroupNamespace, name, !is_made_anew && dice_.Percent(50));
  if (!is_made_anew) return;
  api::Pod next = plans_.at(group).member;
  next.meta.name = name;
  server_.Write(std::move(next));
}

std::vector<std::string> GroupWorkload::MembersOf(const std::string& group) const {
  std::vector<std::string> names;
  for (const auto& [key, object] : server_.objects()) {
    const auto* pod = std::get_if<api::Pod>(&object);
    if (pod != nullptr && pod->spec.scheduling_group == group) names.push_back(pod->meta.name);
  }
  return names;
}

}  // namespace berth::sim
