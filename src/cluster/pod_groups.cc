// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_groups.h"

#include <utility>

namespace berth::cluster {

std::vector<PodPtr> PodGroupState::ScheduledPods() const {
  std::vector<PodPtr> scheduled;
  for (const std::string& uid : assigned) scheduled.push_back(pods.at(uid));
  for (const auto& [uid, pod] : assumed) scheduled.push_back(pod);
  return scheduled;
}

PodGroups::PodGroups(Objects& objects, PodGroupOptions options) : options_(options) { Follow(objects); }

PodGroups::PodGroups(Objects& objects, const PodGroups& other)
    : options_(other.options_), groups_(other.groups_), composites_(other.composites_) {
  Follow(objects);
}

void PodGroups::Follow(Objects& objects) {
  if (options_.enabled) {
    objects.pod_groups.set_listener([this](const auto& before, const auto& after) { ObjectChanged(before, after); });
  }
  if (options_.composite) {
    objects.composite_pod_groups.set_listener(
        [this](const auto& before, const auto& after) { ObjectChanged(before, after); });
  }
}

void PodGroups::Add(const PodPtr& pod) {
  if (!IsMember(*pod)) return;
  PodGroupState& state = groups_[KeyOf(*pod)].Edit();
  state.pods[pod->uid] = pod;
  if (pod->node_name.empty()) {
    state.unscheduled.insert(pod->uid);
    return;
  }
  state.assigned.insert(pod->uid);
  state.unscheduled.erase(pod->uid);
  state.assumed.erase(pod->uid);
}

void PodGroups::Update(const PodInfo& old_pod, const PodPtr& pod) {
  if (!IsMember(*pod)) return;
  CopyOnWrite<PodGroupState>* found = groups_.Edit(KeyOf(*pod));
  if (found == nullptr) return;
  found->Edit().pods[pod->uid] = pod;
  if (old_pod.node_name.empty() && !pod->node_name.empty()) Add(pod);
}

void PodGroups::Remove(const PodInfo& pod) {
  if (!IsMember(pod)) return;
  const GroupKey key = KeyOf(pod);
  CopyOnWrite<PodGroupState>* found = groups_.Edit(key);
  if (found == nullptr) return;
  PodGroupState& state = found->Edit();
  state.pods.erase(pod.uid);
  state.unscheduled.erase(pod.uid);
  state.assumed.erase(pod.uid);
  state.assigned.erase(pod.uid);
  FreeIfUnused(key);
}

void PodGroups::Assume(const PodPtr& pod) {
  if (!IsMember(*pod)) return;
  const GroupKey key = KeyOf(*pod);
  const bool is_new = !groups_.contains(key);
  PodGroupState& state = groups_[key].Edit();
  if (is_new) state.pods[pod->uid] = pod;
  const auto known = state.pods.find(pod->uid);
  if (known == state.pods.end()) return;  // It is gone already.
  if (known->second->node_name.empty()) {
    state.assumed[pod->uid] = pod;
  } else {
    state.assigned.insert(pod->uid);
  }
  state.unscheduled.erase(pod->uid);
}

void PodGroups::Forget(const PodInfo& pod) {
  if (!IsMember(pod)) return;
  CopyOnWrite<PodGroupState>* found = groups_.Edit(KeyOf(pod));
  if (found == nullptr) return;
  PodGroupState& state = found->Edit();
  const auto known = state.pods.find(pod.uid);
  if (known == state.pods.end()) return;
  state.assumed.erase(pod.uid);
  (known->second->node_name.empty() ? state.unscheduled : state.assigned).insert(pod.uid);
}

PodGroups::Saved PodGroups::Save(const GroupKey& key) const {
  const CopyOnWrite<PodGroupState>* found = groups_.Find(key);
  return found == nullptr ? std::nullopt : Saved(*found);
}

void PodGroups::Restore(const GroupKey& key, Saved state) {
  if (state) {
    groups_[key] = *std::move(state);
  } else {
    groups_.Erase(key);
  }
}

const PodGroupState* PodGroups::Find(const GroupKey& key) const {
  const CopyOnWrite<PodGroupState>* found = groups_.Find(key);
  return found == nullptr ? nullptr : &**found;
}

const CompositePodGroupState* PodGroups::FindComposite(const GroupKey& key) const { return composites_.Find(key); }

const api::GroupSpec* PodGroups::SpecOf(const GroupKey& key) const {
  if (key.is_composite) {
    const CompositePodGroupState* state = FindComposite(key);
    return state == nullptr || state->object == nullptr ? nullptr : &state->object->spec;
  }
  const PodGroupState* state = Find(key);
  return state == nullptr || state->object == nullptr ? nullptr : &state->object->spec;
}

const api::ObjectMeta* PodGroups::MetaOf(const GroupKey& key) const {
  if (SpecOf(key) == nullptr) return nullptr;
  return key.is_composite ? &FindComposite(key)->object->meta : &Find(key)->object->meta;
}

std::optional<GroupKey> PodGroups::ParentOf(const std::string& ns, const api::GroupSpec& spec) const {
  if (!options_.composite || !spec.parent) return std::nullopt;
  return GroupKey{true, ns, *spec.parent};
}

std::optional<GroupKey> PodGroups::ParentOf(const GroupKey& key) const {
  const api::GroupSpec* spec = SpecOf(key);
  return spec == nullptr ? std::nullopt : ParentOf(key.ns, *spec);
}

std::optional<GroupKey> PodGroups::RootOf(GroupKey key) const {
  std::set<GroupKey> visited;
  while (visited.insert(key).second) {
    if (SpecOf(key) == nullptr) return std::nullopt;
    std::optional<GroupKey> parent = ParentOf(key);
    if (!parent) return key;
    key = *std::move(parent);
  }
  return std::nullopt;
}

template <class Visit>
void PodGroups::VisitUp(const PodInfo& pod, Visit visit) const {
  if (!IsMember(pod)) return;
  std::optional<GroupKey> key = KeyOf(pod);
  std::set<GroupKey> visited;
  for (size_t depth = 0; key && depth < kDepthMax && visited.insert(*key).second; ++depth) {
    const api::GroupSpec* spec = SpecOf(*key);
    if (spec == nullptr) return;
    visit(*key, *spec);
    key = ParentOf(*key);
  }
}

int32_t PodGroups::PriorityOf(const PodInfo& pod) const {
  int32_t priority = pod.priority();
  VisitUp(pod, [&](const GroupKey&, const api::GroupSpec& spec) { priority = spec.priority.value_or(0); });
  return priority;
}

std::optional<GroupKey> PodGroups::DisruptedWith(const PodInfo& pod) const {
  std::optional<GroupKey> highest;
  VisitUp(pod, [&](const GroupKey& key, const api::GroupSpec& spec) {
    if (spec.is_disrupted_as_one) highest = key;
  });
  return highest;
}

void PodGroups::ObjectChanged(const std::shared_ptr<const api::PodGroup>& before,
                              const std::shared_ptr<const api::PodGroup>& after) {
  const api::ObjectMeta& meta = (after ? after : before)->meta;
  const GroupKey key{false, meta.ns, meta.name};
  if (before) Unlink(key, ParentOf(key.ns, before->spec));
  groups_[key].Edit().object = after;
  if (after) Link(key, ParentOf(key.ns, after->spec));
  FreeIfUnused(key);
}

void PodGroups::ObjectChanged(const std::shared_ptr<const api::CompositePodGroup>& before,
                              const std::shared_ptr<const api::CompositePodGroup>& after) {
  const api::ObjectMeta& meta = (after ? after : before)->meta;
  const GroupKey key{true, meta.ns, meta.name};
  if (before) Unlink(key, ParentOf(key.ns, before->spec));
  composites_[key].object = after;
  if (after) Link(key, ParentOf(key.ns, after->spec));
  FreeIfUnused(key);
}

void PodGroups::Link(const GroupKey& child, const std::optional<GroupKey>& parent) {
  if (parent) composites_[*parent].children.insert(child);
}

void PodGroups::Unlink(const GroupKey& child, const std::optional<GroupKey>& parent) {
  if (!parent) return;
  CompositePodGroupState* found = composites_.Edit(*parent);
  if (found == nullptr) return;
  found->children.erase(child);
  FreeIfUnused(*parent);
}

void PodGroups::FreeIfUnused(const GroupKey& key) {
  if (key.is_composite) {
    const CompositePodGroupState* state = FindComposite(key);
    if (state != nullptr && state->object == nullptr && state->children.empty()) composites_.Erase(key);
  } else {
    const PodGroupState* state = Find(key);
    if (state != nullptr && state->object == nullptr && state->pods.empty()) groups_.Erase(key);
  }
}

}  // namespace berth::cluster
