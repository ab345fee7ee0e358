// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"

namespace berth::api {

void ReadPodDisruptionBudget(FieldReader& r, PodDisruptionBudget& budget) {
  r.Child("spec").Read("selector", budget.selector, ReadLabelSelector);
  FieldReader status = r.Child("status");
  status.Read("disruptionsAllowed", budget.disruptions_allowed);
  const Value pods = status.Child("disruptedPods").value();
  for (size_t i = 0; i < pods.size(); ++i) budget.disrupted_pods.emplace_back(pods.key(i));
  std::sort(budget.disrupted_pods.begin(), budget.disrupted_pods.end());
}

void ReadPriorityClass(FieldReader& r, PriorityClass& priority_class) {
  r.Read("value", priority_class.value);
  r.Read("globalDefault", priority_class.global_default);
  r.Read("preemptionPolicy", priority_class.preemption_policy);
}

void ReadNamespace(FieldReader&, Namespace&) {}

void ReadService(FieldReader& r, Service& service) { r.Child("spec").Read("selector", service.selector); }

void ReadReplicationController(FieldReader& r, ReplicationController& controller) {
  r.Child("spec").Read("selector", controller.selector);
}

void ReadReplicaSet(FieldReader& r, ReplicaSet& set) {
  r.Child("spec").Read("selector", set.selector, ReadLabelSelector);
}

void ReadStatefulSet(FieldReader& r, StatefulSet& set) {
  r.Child("spec").Read("selector", set.selector, ReadLabelSelector);
}

}  // namespace berth::api
