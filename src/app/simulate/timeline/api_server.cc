// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/timeline/api_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/simulate/expand.h"

namespace berth::simulate {
namespace {

using State = PodLife::State;

bool IsOwnedBy(const api::Pod& pod, std::string_view kind) {
  const api::OwnerReference* owner = pod.meta.controller();
  return owner != nullptr && owner->kind == kind;
}

}  // namespace

std::string OwnerOf(const api::Pod& pod) {
  const api::OwnerReference* owner = pod.meta.controller();
  return owner == nullptr ? "" : fmt::format("{} {}/{}", owner->kind, pod.meta.ns, owner->name);
}

std::string_view StateName(State state) {
  constexpr std::array<std::string_view, 10> kNames = {"waiting", "running", "terminating", "completed", "evicted",
                                                       "deleted", "lost",    "binding",     "gated",     "ignored"};
  return kNames[static_cast<size_t>(state)];
}

ApiServer::ApiServer(Parts parts, const TimelineSettings& settings, NameGenerator names)
    : parts_(std::move(parts)),
      settings_(settings),
      names_(std::move(names)),
      volumes_(parts_.cluster, [this](api::Object object) { Put(std::move(object)); }),
      claims_(
          parts_.cluster, [this](api::Object object) { parts_.feed(scheduler::PutObject{std::move(object)}); },
          [this](std::string_view ns, std::string_view name) {
            parts_.feed(scheduler::RemoveObject{"ResourceClaim", std::string(ns), std::string(name)});
          }),
      changed_at_(now()) {}

void ApiServer::Put(api::Object object) {
  std::visit([&](auto& known) { known.meta.resource_version = std::to_string(++version_); }, object);
  parts_.feed(scheduler::PutObject{std::move(object)});
}

void ApiServer::PutPod(Served& served) {
  served.source.pod.meta.resource_version = std::to_string(++version_);
  parts_.feed(scheduler::PutObject{served.source.pod});
}

// Claims that stay unbound are looked at again and again; once is enough to say so.
void ApiServer::Note(std::string note) {
  std::vector<std::string>& notes = parts_.history.notes;
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
}

void ApiServer::Create(World objects, std::optional<Duration> runs) {
  changed_at_ = now();
  for (api::Namespace& ns : objects.namespaces) Put(std::move(ns));
  for (api::StorageClass& storage_class : objects.storage_classes) Put(std::move(storage_class));
  for (api::PriorityClass& priority_class : objects.priority_classes) Put(std::move(priority_class));
  for (api::Object& object : objects.others) Put(std::move(object));
  for (api::Node& node : objects.nodes) Put(std::move(node));
  for (api::PersistentVolume& volume : objects.volumes) volumes_.AddVolume(std::move(volume));
  for (const api::PersistentVolumeClaim& claim : objects.claims) volumes_.AddClaim(claim);
  if (!objects.claims.empty() || !objects.volumes.empty()) {
    for (std::string& note : volumes_.SettleAll()) Note(std::move(note));
  }
  std::vector<Served*> taken;
  for (PodSource& source : objects.pods) {
    if (IsFinished(source.pod)) continue;
    if (Served* served = TakePod(std::move(source), runs, {})) taken.push_back(served);
  }
  // The scheduler hears of them in the order in which they were made, and not of two at the same time: its queue has no
  // order among those.
  std::ranges::stable_sort(taken, {}, [](const Served* served) { return served->source.pod.meta.creation_timestamp; });
  for (Served* served : taken) {
    if (served != taken.front()) parts_.agenda.PassTo(now() + Duration{1});
    PutPod(*served);
  }
}

void ApiServer::CreateNamed(PodSource source, const std::string& prefix, std::optional<Duration> runs) {
  changed_at_ = now();
  api::ObjectMeta& meta = source.pod.meta;
  meta.name = names_.Next(meta.ns, prefix);
  meta.uid = names_.Uid();
  AddPod(std::move(source), runs, {});
}

void ApiServer::AddClaims(const PodSource& source) {
  for (api::PersistentVolumeClaim& claim : EphemeralClaims(source)) {
    if (parts_.cluster.objects.persistent_volume_claims.Find(claim.meta.ns, claim.meta.name) != nullptr) continue;
    claim.meta.uid = names_.Uid();
    claim.phase = "Pending";
    volumes_.AddClaim(claim);
    (void)volumes_.Settle(claim);
  }
}

void ApiServer::AddPod(PodSource source, std::optional<Duration> runs, std::string replaces) {
  if (Served* served = TakePod(std::move(source), runs, std::move(replaces))) PutPod(*served);
}

ApiServer::Served* ApiServer::TakePod(PodSource source, std::optional<Duration> runs, std::string replaces) {
  AddClaims(source);
  std::string full_name = api::FullName(source.pod.meta);
  if (pods_.contains(full_name)) {
    Note(fmt::format("pod {} exists already and is not created again", full_name));
    return nullptr;
  }
  api::Pod& pod = source.pod;
  PodLife life;
  life.ns = pod.meta.ns;
  life.name = pod.meta.name;
  life.priority = pod.spec.priority.value_or(0);
  life.created = now();
  life.replaces = std::move(replaces);
  if (!pod.meta.creation_timestamp) pod.meta.creation_timestamp = now();
  if (!pod.node_name.empty()) {
    life.was_pending = false;
    life.state = State::kRunning;
    life.node = pod.node_name;
    ++running_count_;
  }
  const size_t index = parts_.history.pods.size();
  parts_.history.pods.push_back(std::move(life));
  return &pods_.emplace(std::move(full_name), Served{std::move(source), index, runs}).first->second;
}

void ApiServer::ReplacePod(PodSource source) {
  const auto it = pods_.find(api::FullName(source.pod.meta));
  if (it == pods_.end()) {
    Note(fmt::format("pod {} is not there any more and cannot be patched", api::FullName(source.pod.meta)));
    return;
  }
  const api::Pod& old = it->second.source.pod;
  source.pod.meta.uid = old.meta.uid;
  source.pod.meta.generation = old.meta.generation + 1;
  source.pod.meta.creation_timestamp = old.meta.creation_timestamp;
  source.pod.meta.deletion_timestamp = old.meta.deletion_timestamp;
  source.pod.node_name = old.node_name;
  source.pod.status = old.status;
  it->second.source = std::move(source);
  PutPod(it->second);
}

void ApiServer::Replace(World object) {
  std::vector<PodSource> pods = std::exchange(object.pods, {});
  Create(std::move(object), std::nullopt);  // A Put of an object that is there replaces it.
  for (PodSource& pod : pods) ReplacePod(std::move(pod));
}

void ApiServer::Delete(const DeleteObject& target) {
  changed_at_ = now();
  if (target.kind == "Pod") {
    const auto it = pods_.find(target.ns + "/" + target.name);
    if (it != pods_.end()) return Terminate(it->second, State::kDeleted);
    Note(fmt::format("pod {}/{} is not there and cannot be deleted", target.ns, target.name));
    return;
  }
  parts_.feed(scheduler::RemoveObject{target.kind, target.ns, target.name});
  if (target.kind == "Node") LosePods(target.name);
}

void ApiServer::Drain(const DrainNode& drain) {
  Replace(drain.cordoned);
  std::vector<std::string> names;
  for (const auto& [name, served] : pods_) {
    if (served.source.pod.node_name == drain.name && !IsOwnedBy(served.source.pod, "DaemonSet")) names.push_back(name);
  }
  for (const std::string& name : names) {
    Served& served = pods_.find(name)->second;
    if (served.source.pod.meta.deletion_timestamp) continue;
    parts_.history.evictions.push_back({.at = now(),
                                        .victim = name,
                                        .victim_priority = Life(served).priority,
                                        .node = drain.name,
                                        .owner = OwnerOf(served.source.pod),
                                        .preemptor = {}});
    Terminate(served, State::kEvicted);
  }
}

void ApiServer::Terminate(Served& served, State end) {
  const std::string name = api::FullName(served.source.pod.meta);
  if (served.source.pod.node_name.empty()) return Remove(name, end);
  if (served.source.pod.meta.deletion_timestamp) return;
  served.source.pod.meta.deletion_timestamp = now() + settings_.eviction_grace_period;
  Life(served).state = State::kTerminating;
  PutPod(served);
  MakeAnew(served, false);
  parts_.agenda.After(settings_.eviction_grace_period, [this, name, uid = served.source.pod.meta.uid, end] {
    const auto it = pods_.find(name);
    if (it != pods_.end() && it->second.source.pod.meta.uid == uid) Remove(name, end);
  });
}

void ApiServer::Remove(const std::string& full_name, State end) {
  changed_at_ = now();
  const auto it = pods_.find(full_name);
  const Served served = std::move(it->second);
  pods_.erase(it);
  Life(served).state = end;
  Life(served).ended = now();
  if (!served.source.pod.node_name.empty()) --running_count_;
  parts_.feed(scheduler::RemoveObject{"Pod", served.source.pod.meta.ns, served.source.pod.meta.name});
  MakeAnew(served, true);
}

// A ReplicaSet replaces a pod as soon as it terminates; others wait until it is gone.
void ApiServer::MakeAnew(const Served& served, bool is_gone) {
  const api::Pod& pod = served.source.pod;
  if (pod.meta.controller() == nullptr) return;
  const bool is_early = IsOwnedBy(pod, "ReplicaSet") || IsOwnedBy(pod, "ReplicationController");
  const bool was_made = is_early && is_gone && pod.meta.deletion_timestamp;
  if (was_made || (!is_early && !is_gone)) return;
  if (IsOwnedBy(pod, "DaemonSet") && !HasNode(pod.node_name)) return;
  AddPod(Replacement(served.source, names_), served.runs, api::FullName(pod.meta));
}

void ApiServer::Complete(const std::string& full_name, const std::string& uid) {
  const auto it = pods_.find(full_name);
  if (it == pods_.end() || it->second.source.pod.meta.uid != uid) return;
  changed_at_ = now();
  Served served = std::move(it->second);
  pods_.erase(it);
  --running_count_;
  Life(served).state = State::kCompleted;
  Life(served).ended = now();
  served.source.pod.status.phase = "Succeeded";
  PutPod(served);
}

void ApiServer::LosePods(const std::string& node) {
  std::vector<std::string> names;
  for (const auto& [name, served] : pods_) {
    if (served.source.pod.node_name == node) names.push_back(name);
  }
  for (const std::string& name : names) Remove(name, State::kLost);
}

bool ApiServer::HasNode(std::string_view name) const {
  cluster::NodeSlot slot;
  return parts_.cluster.nodes().Find(name, slot) && parts_.cluster.nodes().has_node[slot.index] != 0;
}

PodLife* ApiServer::LifeOf(std::string_view full_name) {
  const auto it = pods_.find(full_name);
  return it == pods_.end() ? nullptr : &Life(it->second);
}

}  // namespace berth::simulate
