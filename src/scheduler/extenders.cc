// SPDX-License-Identifier: Apache-2.0
#include "scheduler/extenders.h"

#include <algorithm>

namespace berth::scheduler {

bool Extender::IsInterested(const cluster::PodInfo& pod) const {
  const auto manages = [&](const auto& amount) {
    return std::ranges::find(configuration.managed_resources, amount.first,
                             &framework::ExtenderManagedResource::name) != configuration.managed_resources.end();
  };
  const auto concerns = [&](const api::Container& container) {
    return std::ranges::any_of(container.requests, manages) || std::ranges::any_of(container.limits, manages);
  };
  if (configuration.managed_resources.empty()) return true;
  return std::ranges::any_of(pod.spec().containers, concerns) ||
         std::ranges::any_of(pod.spec().init_containers, concerns);
}

Extenders::Extenders(const framework::SchedulerConfiguration& configuration)
    : score_scale_(configuration.extender_score_scale) {
  for (const bool ignorable : {false, true}) {
    for (size_t i = 0; i < configuration.extenders.size(); ++i) {
      if (configuration.extenders[i].ignorable == ignorable) extenders_.push_back({i, configuration.extenders[i]});
    }
  }
}

bool Extenders::any_filter() const {
  return std::ranges::any_of(extenders_, [](const Extender& e) { return !e.configuration.filter_verb.empty(); });
}

bool Extenders::any_prioritizer() const {
  return std::ranges::any_of(extenders_, [](const Extender& e) { return !e.configuration.prioritize_verb.empty(); });
}

bool Extenders::Concern(const cluster::PodInfo& pod) const {
  return std::ranges::any_of(extenders_, [&](const Extender& extender) { return extender.IsInterested(pod); });
}

bool Extenders::AreAsked(const cluster::PodInfo& pod) const {
  return std::ranges::any_of(extenders_, [&](const Extender& extender) {
    const framework::ExtenderConfiguration& verbs = extender.configuration;
    const bool asks = !verbs.filter_verb.empty() || !verbs.prioritize_verb.empty() || !verbs.preempt_verb.empty();
    return asks && extender.IsInterested(pod);
  });
}

const Extender* Extenders::BinderOf(const cluster::PodInfo& pod) const {
  const auto it = std::ranges::find_if(extenders_, [&](const Extender& extender) {
    return !extender.configuration.bind_verb.empty() && extender.IsInterested(pod);
  });
  return it == extenders_.end() ? nullptr : &*it;
}

}  // namespace berth::scheduler
