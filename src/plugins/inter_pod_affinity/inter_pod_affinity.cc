// SPDX-License-Identifier: Apache-2.0

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

#include <algorithm>

#include "plugins/helpers/hints.h"

namespace berth::plugins {

namespace action = framework::action;
using cluster::PodInfo;
using framework::EventResource;

namespace {

using Terms = std::vector<cluster::AffinityTerm>;

// Required terms, compiled. A list with a term that did not compile is empty.
Result<const Terms*> Compiled(const Terms& terms, const std::optional<api::PodAffinity>& written,
                              const cluster::PodTemplate& pod_template) {
  if (terms.empty() && written && !written->required.empty()) return Invalid(pod_template.affinity_error);
  return &terms;
}

Result<const Terms*> AffinityTerms(const PodInfo& pod) {
  const cluster::PodTemplate& from = *pod.pod_template;
  return from.spec.affinity ? Compiled(from.required_affinity, from.spec.affinity->pod_affinity, from)
                            : &from.required_affinity;
}

Result<const Terms*> AntiAffinityTerms(const PodInfo& pod) {
  const cluster::PodTemplate& from = *pod.pod_template;
  return from.spec.affinity ? Compiled(from.required_anti_affinity, from.spec.affinity->pod_anti_affinity, from)
                            : &from.required_anti_affinity;
}

// As upstream has it, hints do not look at the labels of namespaces.
bool Matches(const cluster::AffinityTerm& term, const PodInfo& pod) { return term.Matches(pod.ns(), pod.labels(), {}); }

bool MatchesAll(const Terms& terms, const PodInfo& pod) {
  return !terms.empty() &&
         std::ranges::all_of(terms, [&](const cluster::AffinityTerm& term) { return Matches(term, pod); });
}

bool MatchesAny(const Terms& terms, const PodInfo& pod) {
  return std::ranges::any_of(terms, [&](const cluster::AffinityTerm& term) { return Matches(term, pod); });
}

Result<bool> AssignedPodMayHelp(const PodInfo& pod, const PodInfo* before, const PodInfo* after) {
  if ((before != nullptr && !TakesRoom(*before)) || (after != nullptr && !TakesRoom(*after))) return false;
  const Terms& wanted = *BERTH_TRY(AffinityTerms(pod));
  const Terms& avoided = *BERTH_TRY(AntiAffinityTerms(pod));
  if (before == nullptr) return MatchesAll(wanted, *after);
  if (after != nullptr) {
    return (!MatchesAll(wanted, *before) && MatchesAll(wanted, *after)) ||
           (MatchesAny(avoided, *before) && !MatchesAny(avoided, *after));
  }
  return MatchesAny(avoided, *before) || MatchesAny(*BERTH_TRY(AntiAffinityTerms(*before)), pod);
}

// A node of a domain is needed: it must have the key, and not have been in the same domain before.
bool JoinsDomain(const std::string& key, const api::Node* before, const api::Node& after) {
  const std::string* value = after.meta.labels.Find(key);
  if (value == nullptr) return false;
  const std::string* old_value = before == nullptr ? nullptr : before->meta.labels.Find(key);
  return old_value == nullptr || *old_value != *value;
}

// A node outside of a domain is needed. One that is new may be, one without the key always was.
bool LeavesDomain(const std::string& key, const api::Node* before, const api::Node& after) {
  if (before == nullptr) return true;
  const std::string* old_value = before->meta.labels.Find(key);
  if (old_value == nullptr) return false;
  const std::string* value = after.meta.labels.Find(key);
  return value == nullptr || *value != *old_value;
}

Result<bool> NodeMayHelp(const PodInfo& pod, const api::Node* before, const api::Node& after) {
  for (const cluster::AffinityTerm& term : *BERTH_TRY(AffinityTerms(pod))) {
    if (JoinsDomain(term.topology_key, before, after)) return true;
  }
  for (const cluster::AffinityTerm& term : *BERTH_TRY(AntiAffinityTerms(pod))) {
    if (LeavesDomain(term.topology_key, before, after)) return true;
  }
  return false;
}

}  // namespace

void InterPodAffinity::Args::Validate(const framework::ArgsCheck& check) const {
  if (hard_pod_affinity_weight < 0 || hard_pod_affinity_weight > 100) {
    check.errors.Invalid(check.At("hardPodAffinityWeight"), hard_pod_affinity_weight, "not in valid range [0, 100]");
  }
}

std::vector<framework::EventRegistration> InterPodAffinity::EventsToRegister() const {
  return {
      {.event = {EventResource::kAssignedPod, action::kAdd | action::kUpdatePodLabel | action::kDelete},
       .has_hint = true},
      {.event = {EventResource::kTargetPod, action::kUpdatePodLabel}, .has_hint = true},
      {.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeLabel}, .has_hint = true},
  };
}

Result<framework::QueueingHint> InterPodAffinity::Hint(const PodInfo& pod, const framework::Change& change,
                                                       const cluster::Cluster&) const {
  switch (change.event.resource) {
    case EventResource::kTargetPod: return QueueIf(true);  // Others may mind the new labels less.
    case EventResource::kAssignedPod:
      return QueueIf(BERTH_TRY(AssignedPodMayHelp(pod, change.before<PodInfo>(), change.after<PodInfo>())));
    default: return QueueIf(BERTH_TRY(NodeMayHelp(pod, change.before<api::Node>(), *change.after<api::Node>())));
  }
}

}  // namespace berth::plugins
