// SPDX-License-Identifier: Apache-2.0
// Groups of pods that are scheduled together, and groups of such groups.
#include <algorithm>
#include <memory>

#include "server/kinds/conditions.h"
#include "server/kinds/groups/group_rules.h"
#include "server/kinds/kinds.h"
#include "server/model/metadata.h"
#include "server/model/strategy.h"

namespace berth::server {
namespace {

using framework::Gate;

// What both kinds have in common.
class GroupStrategy : public Strategy {
 public:
  explicit GroupStrategy(const TypeRules& spec) : spec_(spec) {}

  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    spec.SetDefault("disruptionMode", Json{{"single", Json::MakeMap()}});
    if (!gates().Enabled(Gate::kPodGroupPreemptionPolicy)) return;
    spec.SetDefault("preemptionPolicy", Json::String("PreemptLowerPriority"));
  }

  void PrepareCreate(Json& object) const override {
    Strategy::PrepareCreate(object);
    DropUngated(spec_, object.Make("spec"), Json(), gates());
  }
  void PrepareUpdate(Json& object, const Json& old) const override {
    Strategy::PrepareUpdate(object, old);
    DropUngated(spec_, object.Make("spec"), old["spec"], gates());
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    ValidateDeclared(spec_, object["spec"], nullptr, gates(), kSpec, errors);
  }
  void ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const override {
    ValidateDeclared(spec_, object["spec"], &old["spec"], gates(), kSpec, errors);
  }
  void PrepareStatusUpdate(Json& object, const Json& old) const override {
    Strategy::PrepareStatusUpdate(object, old);
    ResetMetadata(object, old);
  }
  void ValidateStatusUpdate(const Json& object, const Json& /*old*/, FieldErrors& errors) const override {
    ValidateConditions(object["status"]["conditions"], kStatus / "conditions", errors);
  }

  bool allows_unconditional_update() const override { return false; }
  bool has_status() const override { return true; }

 private:
  const TypeRules& spec_;
};

class PodGroupStrategy final : public GroupStrategy {
 public:
  PodGroupStrategy() : GroupStrategy(kPodGroupSpec) {}

  void PrepareStatusUpdate(Json& object, const Json& old) const override {
    GroupStrategy::PrepareStatusUpdate(object, old);
    const bool has_claims = gates().Enabled(Gate::kDRAWorkloadResourceClaims) || !old["spec"]["resourceClaims"].empty();
    if (!has_claims) object.Make("status").Erase("resourceClaimStatuses");
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    if (spec.Has("parentCompositePodGroupName") && !spec.Has("workloadRef")) {
      errors.Required(kSpec / "workloadRef", "must be set when parentCompositePodGroupName is set");
    }
    GroupStrategy::Validate(object, errors);
  }

  void ValidateStatusUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    GroupStrategy::ValidateStatusUpdate(object, old, errors);
    const Json& claims = object["spec"]["resourceClaims"];
    const Json& statuses = object["status"]["resourceClaimStatuses"];
    const FieldPath path = kStatus / "resourceClaimStatuses";
    for (size_t i = 0; i < statuses.size(); ++i) {
      const std::string& name = statuses[i]["name"].text();
      if (std::ranges::any_of(claims.items(), [&](const Json& claim) { return claim["name"].text() == name; }))
        continue;
      const FieldPath at = path[i];
      errors.Invalid(at / "name", name, "must match the name of an entry in `spec.resourceClaims`");
    }
    ValidateDeclared(kPodGroupStatus, object["status"], &old["status"], gates(), kStatus, errors);
  }
};

}  // namespace

std::unique_ptr<Strategy> MakePodGroupStrategy() { return std::make_unique<PodGroupStrategy>(); }
std::unique_ptr<Strategy> MakeCompositePodGroupStrategy() {
  return std::make_unique<GroupStrategy>(kCompositePodGroupSpec);
}

}  // namespace berth::server
