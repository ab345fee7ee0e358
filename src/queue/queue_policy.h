// SPDX-License-Identifier: Apache-2.0
// QueuePolicy: what the queue asks the profiles and their plugins.
//
// The queue serves all profiles; the policy finds the one that is responsible for a pod.

#pragma once

#include <optional>
#include <string_view>

#include "framework/events.h"
#include "framework/plugin.h"
#include "queue/plugin_set.h"

namespace berth::queue {

class QueuePolicy {
 public:
  virtual ~QueuePolicy() = default;

  // The order of the active queue.
  virtual bool Less(const framework::QueuedPod& a, const framework::QueuedPod& b) const = 0;

  // The plugin that keeps the pod out of the queue, if any. The one that did so before, `ask_first`, is asked first.
  virtual std::optional<PluginId> PreEnqueue(const cluster::PodInfo& pod, std::optional<PluginId> ask_first) const = 0;

  // Whether an attempt to schedule the pod may have to wait for somebody's answer. Such attempts are made one at a
  // time.
  virtual bool WaitsForOthers(const cluster::PodInfo&) const { return false; }

  // For observers. Empty: not known.
  virtual std::string_view PluginName(PluginId) const { return {}; }

  // The plugins that registered the event in some profile.
  virtual PluginSet Interested(const framework::ClusterEvent& event) const = 0;

  // Whether the change may help a pod that `plugin` rejected. False if the pod's profile does not register the event.
  virtual bool MayHelp(const framework::Change& change, const cluster::PodInfo& pod, PluginId plugin) const = 0;
};

}  // namespace berth::queue
