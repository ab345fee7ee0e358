// SPDX-License-Identifier: Apache-2.0
// The PodGroup of scheduling.x-k8s.io, by the rules of its CustomResourceDefinition.
#include "server/kinds/kinds.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

class CoscheduledGroupStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& minimum = object["spec"]["minMember"];
    if (minimum.is_null() || minimum.IntOr(0) >= 1) return;
    errors.Invalid(FieldPath("spec.minMember"), minimum, "spec.minMember in body should be greater than or equal to 1");
  }

  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }
  bool allows_unconditional_update() const override { return false; }
};

}  // namespace

std::unique_ptr<Strategy> MakeCoscheduledGroupStrategy() { return std::make_unique<CoscheduledGroupStrategy>(); }

}  // namespace berth::server
