// SPDX-License-Identifier: Apache-2.0
#include "plugins/coscheduling/coscheduling.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/assert.h"
#include "plugins/coscheduling/free_resources.h"

namespace berth::plugins {

namespace action = framework::action;
using cluster::CoscheduledPods;
using cluster::PodInfo;
using framework::EventResource;
using framework::Status;

namespace {

// Nullptr if the pod has no group, or the object is not there.
const api::CoscheduledGroup* ObjectOf(const PodInfo& pod, const cluster::Cluster& cluster) {
  const std::string_view name = CoscheduledPods::NameOf(pod);
  return name.empty() ? nullptr : cluster.objects.coscheduled_groups.Find(pod.ns(), name);
}

CoscheduledPods::Group* GroupOf(framework::Cycle& cycle) {
  return cycle.mutable_cluster().coscheduled.Find(cycle.pod());
}

size_t MinMember(const api::CoscheduledGroup& object) { return static_cast<size_t>(std::max(object.min_member, 0)); }

// What stands for the time of entry.
Time AgeOf(const framework::QueuedPod& queued, const cluster::Cluster& cluster) {
  const CoscheduledPods::Group* group = cluster.coscheduled.Find(queued.pod);
  if (group != nullptr && group->failed_at) return *group->failed_at;
  const api::CoscheduledGroup* object = ObjectOf(queued.pod, cluster);
  return object == nullptr ? queued.first_entry : object->meta.creation_timestamp.value_or(Time());
}

}  // namespace

void Coscheduling::Args::Validate(const framework::ArgsCheck& check) const {
  if (permit_waiting_time_seconds < 0) {
    check.errors.Invalid(check.At("permitWaitingTimeSeconds"), permit_waiting_time_seconds, "must be greater than 0");
  }
  if (pod_group_backoff_seconds < 0) {
    check.errors.Invalid(check.At("podGroupBackoffSeconds"), pod_group_backoff_seconds, "must be greater than 0");
  }
  if (pod_group_reject_percentage < 0 || pod_group_reject_percentage > 100) {
    check.errors.Invalid(check.At("podGroupRejectPercentage"), pod_group_reject_percentage,
                         "must be between 0 and 100");
  }
}

bool Coscheduling::Less(const framework::QueuedPod& a, const framework::QueuedPod& b,
                        const cluster::Cluster& cluster) const {
  if (a.priority != b.priority) return a.priority > b.priority;
  const Time age_a = AgeOf(a, cluster);
  const Time age_b = AgeOf(b, cluster);
  return age_a == age_b ? a.pod.full_name() < b.pod.full_name() : age_a < age_b;
}

framework::PreFilterResult Coscheduling::PreFilter(framework::Cycle& cycle) const {
  const api::CoscheduledGroup* object = ObjectOf(cycle.pod(), cycle.cluster());
  CoscheduledPods::Group* group = GroupOf(cycle);
  if (object == nullptr || group == nullptr) return {Status::Success()};
  const Status members = CheckMembers(cycle, *object, *group);
  return {members.ok() ? CheckRoom(cycle, *object, *group) : members};
}

Status Coscheduling::CheckMembers(const framework::Cycle& cycle, const api::CoscheduledGroup& object,
                                  const CoscheduledPods::Group& group) {
  const PodInfo& pod = cycle.pod();
  if (cycle.now() < group.backs_off_until) {
    return Status::Unresolvable(fmt::format("podGroup {} failed recently", api::FullName(object.meta)));
  }
  const size_t known = group.pods.size();
  const size_t wanted = MinMember(object);
  if (known < wanted) {
    return Status::Unresolvable(fmt::format(
        "pre-filter pod {} cannot find enough sibling pods, current pods number: {}, minMember of group: {}", pod.name,
        known, object.min_member));
  }
  const auto gated = std::ranges::count_if(
      group.pods, [](const auto& member) { return !member.second->spec().scheduling_gates.empty(); });
  if (known - static_cast<size_t>(gated) < wanted) {
    return Status::Unresolvable(
        fmt::format("pre-filter pod {} cannot proceed due to gated pods in the same PodGroup", pod.name));
  }
  return Status::Success();
}

Status Coscheduling::CheckRoom(const framework::Cycle& cycle, const api::CoscheduledGroup& object,
                               CoscheduledPods::Group& group) const {
  if (!object.min_resources || cycle.now() < group.fits_until) return Status::Success();
  const std::string gap = ResourceGap(object, group, cycle.cluster());
  if (!gap.empty()) return Status::Unresolvable("resource gap: " + gap);
  group.fits_until = cycle.now() + Seconds(args_.permit_waiting_time_seconds);
  return Status::Success();
}

framework::PostFilterResult Coscheduling::PostFilter(framework::Cycle& cycle, const framework::Profile&,
                                                     const framework::Diagnosis&, framework::Effects&) const {
  const PodInfo& pod = cycle.pod();
  const api::CoscheduledGroup* object = ObjectOf(pod, cycle.cluster());
  CoscheduledPods::Group* group = GroupOf(cycle);
  if (object == nullptr || group == nullptr) return {.status = Status::Unschedulable("can not find pod group")};
  const size_t wanted = MinMember(*object);
  const size_t assigned = group->assigned.size();
  const bool is_almost_there =
      assigned < wanted && (wanted - assigned) * 100 <= wanted * static_cast<size_t>(args_.pod_group_reject_percentage);
  if (assigned >= wanted || is_almost_there) {
    return {.status = {.code = framework::StatusCode::kUnschedulable, .reasons = {}, .plugin = {}}};
  }
  if (group->pods.size() >= wanted && cycle.now() >= group->backs_off_until) {
    group->backs_off_until = cycle.now() + Seconds(args_.pod_group_backoff_seconds);
  }
  GiveUp(cycle, "optimistic rejection in PostFilter");
  return {.status = Status::Unschedulable(
              fmt::format("PodGroup {} gets rejected due to Pod {} is unschedulable even after PostFilter",
                          api::FullName(object->meta), pod.name))};
}

framework::PermitResult Coscheduling::Permit(framework::Cycle& cycle, framework::NodeSlot) const {
  const PodInfo& pod = cycle.pod();
  if (CoscheduledPods::NameOf(pod).empty()) return {Status::Success(), {}};
  const api::CoscheduledGroup* object = ObjectOf(pod, cycle.cluster());
  if (object == nullptr) return {Status::Unschedulable("PodGroup not found"), {}};
  CoscheduledPods::Group* group = GroupOf(cycle);
  BERTH_ASSERT(group != nullptr);  // The pod is assumed.
  if (group->assigned.size() >= MinMember(*object)) {
    group->failed_at.reset();
    if (cycle.waiting_pods() != nullptr) {
      for (const auto& [uid, member] : group->pods) cycle.waiting_pods()->Allow(uid, kName);
    }
    return {Status::Success(), {}};
  }
  // The first one calls the others, which may have been turned down before the group was complete.
  if (group->assigned.size() == 1) {
    for (const auto& [uid, member] : group->pods) {
      if (uid != pod.uid) cycle.pods_to_activate().push_back(member);
    }
  }
  const int64_t timeout = object->schedule_timeout_seconds.value_or(0);
  return {{framework::StatusCode::kWait, {}, {}}, Seconds(timeout != 0 ? timeout : args_.permit_waiting_time_seconds)};
}

void Coscheduling::Unreserve(framework::Cycle& cycle, framework::NodeSlot, framework::Effects&) const {
  if (ObjectOf(cycle.pod(), cycle.cluster()) != nullptr) GiveUp(cycle, "rejection in Unreserve");
}

void Coscheduling::GiveUp(framework::Cycle& cycle, std::string_view why) const {
  CoscheduledPods::Group* group = GroupOf(cycle);
  if (group == nullptr) return;  // Its last pod has gone.
  if (cycle.waiting_pods() != nullptr) {
    for (const auto& [uid, member] : group->pods) cycle.waiting_pods()->Reject(uid, kName, std::string(why));
  }
  group->fits_until = {};
  group->failed_at = cycle.now();
}

std::vector<framework::EventRegistration> Coscheduling::EventsToRegister() const {
  return {{.event = {EventResource::kPod, action::kAdd}},
          {.event = {EventResource::kCoscheduledGroup, action::kAdd | action::kUpdate}}};
}

}  // namespace berth::plugins
