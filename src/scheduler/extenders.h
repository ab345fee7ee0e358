// SPDX-License-Identifier: Apache-2.0
// Extenders: the configured HTTP extenders in the order in which they are asked, and which pods concern them.
//
// Those whose failures are ignored come after the others. An extender that manages resources is interested in pods with
// a container that requests or limits one of them; one that manages none is interested in every pod.
//
// Thread: core.

#pragma once

#include <string_view>
#include <vector>

#include "cluster/pod_info.h"
#include "framework/configuration.h"

namespace berth::scheduler {

// Who is to blame when extenders leave no node to a pod. Every event may help against it.
inline constexpr std::string_view kExtenderPlugin = "Extender";

struct Extender {
  size_t index = 0;  // In SchedulerConfiguration::extenders.
  framework::ExtenderConfiguration configuration;

  bool IsInterested(const cluster::PodInfo& pod) const;
};

class Extenders {
 public:
  explicit Extenders(const framework::SchedulerConfiguration& configuration);

  bool empty() const { return extenders_.empty(); }
  const std::vector<Extender>& all() const { return extenders_; }
  // What the score of an extender is multiplied by, besides its weight.
  int64_t score_scale() const { return score_scale_; }

  bool any_filter() const;
  bool any_prioritizer() const;

  // Whether some extender is interested in the pod.
  bool Concern(const cluster::PodInfo& pod) const;
  // Whether an attempt to schedule the pod may have to wait for an extender's answer.
  bool AreAsked(const cluster::PodInfo& pod) const;
  // The extender that binds the pod, or nullptr.
  const Extender* BinderOf(const cluster::PodInfo& pod) const;

 private:
  std::vector<Extender> extenders_;
  int64_t score_scale_;
};

}  // namespace berth::scheduler
