// SPDX-License-Identifier: Apache-2.0
// ProfilePolicy: answers the queue's questions by asking the plugins of the profiles.
//
// What plugins register is read once. A plugin that can turn pods down but registers nothing hears of everything.
//
// Thread: core.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "framework/events.h"
#include "framework/profile.h"
#include "queue/plugin_set.h"
#include "queue/queue_policy.h"
#include "scheduler/assembly.h"
#include "scheduler/extenders.h"

namespace berth::scheduler {

class ProfilePolicy final : public queue::QueuePolicy {
 public:
  // REQUIRES: there is a profile, and the arguments live as long as this does.
  ProfilePolicy(const Profiles& profiles, const Extenders& extenders, const cluster::Cluster& cluster);
  // Reads anew what plugins register. Numbers that were given to plugins stay theirs.
  void Reset(const Profiles& profiles);
  // Whether there are numbers for the plugins of these profiles, besides those that were given.
  bool HasNumbersFor(const Profiles& profiles) const;

  bool Less(const framework::QueuedPod& a, const framework::QueuedPod& b) const override;
  std::optional<queue::PluginId> PreEnqueue(const cluster::PodInfo& pod,
                                            std::optional<queue::PluginId> ask_first) const override;
  queue::PluginSet Interested(const framework::ClusterEvent& event) const override;
  bool MayHelp(const framework::Change& change, const cluster::PodInfo& pod, queue::PluginId plugin) const override;

  bool WaitsForOthers(const cluster::PodInfo& pod) const override { return extenders_.AreAsked(pod); }

  std::string_view PluginName(queue::PluginId plugin) const override { return names_.name(plugin); }

  // Hears of every hint from now on; nullptr: nobody does.
  void set_observer(framework::Observer* observer) { observer_ = observer; }

  // Whether a profile has the pod's scheduler name.
  bool IsResponsible(const cluster::PodInfo& pod) const { return Find(pod) != nullptr; }
  // That profile, or nullptr.
  const framework::Profile* ProfileOf(const cluster::PodInfo& pod) const {
    const Entry* entry = Find(pod);
    return entry == nullptr ? nullptr : entry->profile;
  }

  // What the plugin wants to hear of when it has turned the pod down; empty if nothing.
  std::span<const framework::EventRegistration> EventsOf(const cluster::PodInfo& pod, queue::PluginId plugin) const;

  queue::PluginNames& names() { return names_; }
  const queue::PluginNames& names() const { return names_; }

 private:
  // What one plugin registered in one profile.
  struct Registered {
    const framework::EnqueueExtensions* hints = nullptr;
    std::vector<framework::EventRegistration> events;
  };
  struct Entry {
    const framework::Profile* profile = nullptr;
    std::vector<Registered> by_plugin;  // By PluginId; may be shorter than names_.
  };
  const Entry* Find(const cluster::PodInfo& pod) const;
  void Register(Entry& entry, const framework::Plugin& plugin);
  Registered& MakeRegistered(Entry& entry, std::string_view plugin);

  framework::Observer* observer_ = nullptr;
  const Extenders& extenders_;
  const cluster::Cluster& cluster_;
  queue::PluginNames names_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace berth::scheduler
