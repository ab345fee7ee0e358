// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/decode_kinds.h"
#include "api/decode_parts.h"

namespace berth::api {
namespace {

void ReadPriorityClass(FieldReader& r, PriorityClass& priority_class) {
  r.Read("value", priority_class.value);
  r.Read("globalDefault", priority_class.global_default);
  r.Read("preemptionPolicy", priority_class.preemption_policy);
}

void ReadPodDisruptionBudget(FieldReader& r, PodDisruptionBudget& budget) {
  r.Child("spec").Read("selector", budget.selector, ReadLabelSelector);
  FieldReader status = r.Child("status");
  status.Read("disruptionsAllowed", budget.disruptions_allowed);
  const Value pods = status.Child("disruptedPods").value();
  for (size_t i = 0; i < pods.size(); ++i) budget.disrupted_pods.emplace_back(pods.key(i));
  std::sort(budget.disrupted_pods.begin(), budget.disrupted_pods.end());
}

// The controllers and Service have the shape in common: a selector in the spec.
template <class T>
void ReadMapSelector(FieldReader& r, T& object) {
  r.Child("spec").Read("selector", object.selector);
}

template <class T>
void ReadSelector(FieldReader& r, T& object) {
  r.Child("spec").Read("selector", object.selector, ReadLabelSelector);
}

}  // namespace

Result<Namespace> DecodeNamespace(Value value) {
  return DecodeAs<Namespace>("Namespace", value, [](FieldReader&, Namespace&) {});
}

Result<PriorityClass> DecodePriorityClass(Value value) { return DecodeAs("PriorityClass", value, ReadPriorityClass); }

Result<PodDisruptionBudget> DecodePodDisruptionBudget(Value value) {
  return DecodeAs("PodDisruptionBudget", value, ReadPodDisruptionBudget);
}

Result<Service> DecodeService(Value value) { return DecodeAs("Service", value, ReadMapSelector<Service>); }

Result<ReplicationController> DecodeReplicationController(Value value) {
  return DecodeAs("ReplicationController", value, ReadMapSelector<ReplicationController>);
}

Result<ReplicaSet> DecodeReplicaSet(Value value) { return DecodeAs("ReplicaSet", value, ReadSelector<ReplicaSet>); }

Result<StatefulSet> DecodeStatefulSet(Value value) { return DecodeAs("StatefulSet", value, ReadSelector<StatefulSet>); }

}  // namespace berth::api
