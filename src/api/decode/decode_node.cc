// SPDX-License-Identifier: Apache-2.0
#include "api/decode/decode.h"
#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"

namespace berth::api {
namespace {

void ReadTaint(FieldReader& r, Taint& taint) {
  r.Read("key", taint.key);
  r.Read("value", taint.value);
  r.Read("effect", taint.effect);
}

void ReadNodeCondition(FieldReader& r, NodeCondition& condition) {
  r.Read("type", condition.type);
  r.Read("status", condition.status);
}

void ReadImage(FieldReader& r, ContainerImage& image) {
  r.Read("names", image.names);
  r.Read("sizeBytes", image.size_bytes);
}

}  // namespace

void ReadNode(FieldReader& r, Node& node) {
  FieldReader spec = r.Child("spec");
  spec.Read("unschedulable", node.unschedulable);
  spec.Read("taints", node.taints, ReadTaint);
  node.has_preemption_policy = spec.Has("podPreemptionPolicy");
  spec.Child("podPreemptionPolicy").Read("disableResizePreemption", node.disable_resize_preemption);

  FieldReader status = r.Child("status");
  status.Read("allocatable", node.allocatable);
  status.Read("conditions", node.conditions, ReadNodeCondition);
  status.Read("images", node.images, ReadImage);
  status.Read("declaredFeatures", node.declared_features);
}

}  // namespace berth::api
