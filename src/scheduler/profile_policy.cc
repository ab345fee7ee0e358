// SPDX-License-Identifier: Apache-2.0
#include "scheduler/profile_policy.h"

#include <algorithm>
#include <set>

namespace berth::scheduler {
namespace {

using framework::ClusterEvent;
using framework::EventRegistration;
using framework::EventResource;
using framework::Plugin;
using queue::PluginId;
using queue::PluginSet;

// Other plugins never turn a pod down, so no event can help against them.
bool CanReject(const Plugin& plugin) {
  return dynamic_cast<const framework::PreEnqueuePlugin*>(&plugin) != nullptr ||
         dynamic_cast<const framework::PreFilterPlugin*>(&plugin) != nullptr ||
         dynamic_cast<const framework::FilterPlugin*>(&plugin) != nullptr ||
         dynamic_cast<const framework::ReservePlugin*>(&plugin) != nullptr ||
         dynamic_cast<const framework::PermitPlugin*>(&plugin) != nullptr;
}

bool Wants(const EventRegistration& registration, const ClusterEvent& event) {
  return framework::Matches(registration.event, event);
}

std::vector<EventRegistration> AllEvents() { return {{.event = ClusterEvent{}, .has_hint = false}}; }

}  // namespace

ProfilePolicy::ProfilePolicy(const Profiles& profiles, const Extenders& extenders, const cluster::Cluster& cluster)
    : extenders_(extenders), cluster_(cluster) {
  Reset(profiles);
}

void ProfilePolicy::Reset(const Profiles& profiles) {
  entries_.clear();
  for (const auto& [name, profile] : profiles) {
    Entry& entry = entries_[name];
    entry.profile = profile.get();
    for (size_t i = 0; i < profile->plugin_count(); ++i) Register(entry, profile->plugin(i));
    if (!extenders_.empty()) MakeRegistered(entry, kExtenderPlugin).events = AllEvents();
  }
}

bool ProfilePolicy::HasNumbersFor(const Profiles& profiles) const {
  std::set<std::string_view> fresh;
  for (const auto& [name, profile] : profiles) {
    for (size_t i = 0; i < profile->plugin_count(); ++i) {
      if (!names_.Find(profile->plugin(i).name())) fresh.insert(profile->plugin(i).name());
    }
  }
  constexpr size_t kReserved = 1;  // For kExtenderPlugin.
  return names_.size() + fresh.size() + kReserved <= queue::PluginSet::kPluginsMax;
}

void ProfilePolicy::Register(Entry& entry, const Plugin& plugin) {
  names_.Intern(plugin.name());
  if (!CanReject(plugin)) return;
  Registered& registered = MakeRegistered(entry, plugin.name());
  registered.hints = dynamic_cast<const framework::EnqueueExtensions*>(&plugin);
  registered.events = registered.hints != nullptr ? registered.hints->EventsToRegister() : AllEvents();
}

ProfilePolicy::Registered& ProfilePolicy::MakeRegistered(Entry& entry, std::string_view plugin) {
  const PluginId id = names_.Intern(plugin);
  if (entry.by_plugin.size() <= id.index) entry.by_plugin.resize(id.index + size_t{1});
  return entry.by_plugin[id.index];
}

const ProfilePolicy::Entry* ProfilePolicy::Find(const cluster::PodInfo& pod) const {
  const auto it = entries_.find(pod.spec().scheduler_name);
  return it == entries_.end() ? nullptr : &it->second;
}

bool ProfilePolicy::Less(const framework::QueuedPod& a, const framework::QueuedPod& b) const {
  return entries_.begin()->second.profile->queue_sort().Less(a, b, cluster_);
}

std::optional<PluginId> ProfilePolicy::PreEnqueue(const cluster::PodInfo& pod,
                                                  std::optional<PluginId> ask_first) const {
  const Entry* entry = Find(pod);
  if (entry == nullptr) return std::nullopt;
  const Plugin* first = ask_first ? entry->profile->Find(names_.name(*ask_first)) : nullptr;
  const framework::Status status = entry->profile->RunPreEnqueue(pod, cluster_, first);
  if (status.ok()) return std::nullopt;
  return names_.Find(status.plugin);
}

PluginSet ProfilePolicy::Interested(const ClusterEvent& event) const {
  PluginSet interested;
  for (const auto& [name, entry] : entries_) {
    for (size_t i = 0; i < entry.by_plugin.size(); ++i) {
      const auto wants = [&](const EventRegistration& registration) { return Wants(registration, event); };
      if (std::ranges::any_of(entry.by_plugin[i].events, wants)) interested.Insert({static_cast<uint8_t>(i)});
    }
  }
  return interested;
}

std::span<const EventRegistration> ProfilePolicy::EventsOf(const cluster::PodInfo& pod, PluginId plugin) const {
  const Entry* entry = Find(pod);
  if (entry == nullptr || plugin.index >= entry->by_plugin.size()) return {};
  return entry->by_plugin[plugin.index].events;
}

bool ProfilePolicy::MayHelp(const framework::Change& change, const cluster::PodInfo& pod, PluginId plugin) const {
  const Entry* entry = Find(pod);
  if (entry == nullptr) return true;
  if (plugin.index >= entry->by_plugin.size()) return false;
  const Registered& registered = entry->by_plugin[plugin.index];
  bool is_registered = false;
  for (const EventRegistration& registration : registered.events) {
    if (!Wants(registration, change.event)) continue;
    if (!registration.has_hint) return true;
    is_registered = true;
  }
  if (!is_registered) return false;
  const framework::Moment since = observer_ == nullptr ? framework::Moment() : observer_->Start();
  const Result<framework::QueueingHint> hint = registered.hints->Hint(pod, change, cluster_);
  if (observer_ != nullptr) {
    observer_->HintGiven(names_.name(plugin), change.event, hint ? std::optional(*hint) : std::nullopt, since);
  }
  return !hint || *hint == framework::QueueingHint::kQueue;
}

}  // namespace berth::scheduler
