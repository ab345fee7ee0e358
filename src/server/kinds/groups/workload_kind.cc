// SPDX-License-Identifier: Apache-2.0
// Workloads: templates of groups, from which controllers make the groups.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "api/typed/typed.h"
#include "api/wire/table.h"
#include "server/kinds/groups/group_rules.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/model/strategy.h"

namespace berth::server {
namespace {

constexpr size_t kDepthMax = 4;  // Levels of templates, those of pods included.
constexpr std::string_view kLeaves = "podGroupTemplates";
constexpr std::string_view kBranches = "compositePodGroupTemplates";

// Names that differ from all others of the workload. Those that occur twice in one list are the business of its rules.
class UniqueNames {
 public:
  explicit UniqueNames(FieldErrors& errors) : errors_(errors) {}

  // Of the templates below a branch or the spec.
  void Check(const Json& parent, const FieldPath& path) {
    CheckList(parent[kLeaves], path / kLeaves);
    const Json& branches = parent[kBranches];
    const FieldPath list = path / kBranches;
    CheckList(branches, list);
    for (size_t i = 0; i < branches.size(); ++i) Check(branches[i], list[i]);
  }

 private:
  void CheckList(const Json& list, const FieldPath& path) {
    std::set<std::string> names;
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string& name = list[i]["name"].text();
      const FieldPath at = path[i];
      if (names_.contains(name)) errors_.Duplicate(at / "name", name);
      names.insert(name);
    }
    names_.merge(names);
  }

  FieldErrors& errors_;
  std::set<std::string> names_;
};

size_t DepthOf(const Json& branch) {
  size_t depth = 0;
  for (const Json& child : branch[kBranches].items()) depth = std::max(depth, DepthOf(child));
  return depth + 1;
}

void CheckDepth(const Json& spec, FieldErrors& errors) {
  const Json& branches = spec[kBranches];
  const FieldPath path = kSpec / kBranches;
  for (size_t i = 0; i < branches.size(); ++i) {
    if (DepthOf(branches[i]) < kDepthMax) continue;
    InvalidInternal(errors, path[i], branches[i][kBranches], "scheduling.v1beta1.CompositePodGroupTemplate",
                    fmt::format("maximum template hierarchy depth is {}", kDepthMax));
  }
}

// Whether all templates ask for the same priority.
class SamePriority {
 public:
  bool Holds(const Json& group) {
    if (first_ == nullptr) first_ = &group;
    return (*first_)["priorityClassName"] == group["priorityClassName"] && (*first_)["priority"] == group["priority"];
  }
  bool HoldsBelow(const Json& branch) {
    return Holds(branch) && HoldsForAll(branch[kBranches], &SamePriority::HoldsBelow) &&
           HoldsForAll(branch[kLeaves], &SamePriority::Holds);
  }
  bool HoldsForAll(const Json& list, bool (SamePriority::*holds)(const Json&)) {
    return std::ranges::all_of(list.items(), [&](const Json& each) { return (this->*holds)(each); });
  }

 private:
  const Json* first_ = nullptr;
};

void CheckPriorities(const Json& spec, FieldErrors& errors) {
  SamePriority same;
  if (!same.HoldsForAll(spec[kLeaves], &SamePriority::Holds)) {
    errors.Invalid(kSpec, Json(), "detected multiple priority configurations");
  } else if (!same.HoldsForAll(spec[kBranches], &SamePriority::HoldsBelow)) {
    errors.Invalid(kSpec, Json(),
                   "all priority and priorityClassName values must be identical, detected multiple values");
  }
}

void CheckChildren(const Json& parent, const FieldPath& path, FieldErrors& errors) {
  const Json& branches = parent[kBranches];
  const FieldPath list = path / kBranches;
  for (size_t i = 0; i < branches.size(); ++i) {
    if (branches[i][kLeaves].empty() && branches[i][kBranches].empty()) {
      errors.Invalid(list[i], branches[i]["name"],
                     "must have at least one child PodGroupTemplate or CompositePodGroupTemplate");
    }
    CheckChildren(branches[i], list[i], errors);
  }
}

class WorkloadKindStrategy final : public Strategy {
 public:
  void PrepareCreate(Json& object) const override { DropUngatedOf(object, Json()); }
  void PrepareUpdate(Json& object, const Json& old) const override { DropUngatedOf(object, old); }

  void Validate(const Json& object, FieldErrors& errors) const override { Check(object, nullptr, errors); }
  void ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const override {
    Check(object, &old["spec"], errors);
  }

  bool allows_unconditional_update() const override { return false; }

 private:
  void DropUngatedOf(Json& object, const Json& old) const {
    Json& spec = object.Make("spec");
    DropUngated(kWorkloadSpec, spec, old["spec"], gates());
    // A constraint that was dropped is null.
    (void)api::Canonicalize(spec, *api::wire::FindMessage("io.k8s.api.scheduling.v1beta1.WorkloadSpec"));
  }

  void Check(const Json& object, const Json* old, FieldErrors& errors) const {
    const Json& spec = object["spec"];
    UniqueNames(errors).Check(spec, kSpec);
    CheckDepth(spec, errors);
    CheckPriorities(spec, errors);
    CheckChildren(spec, kSpec, errors);
    ValidateDeclared(kWorkloadSpec, spec, old, gates(), kSpec, errors);
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeWorkloadStrategy() { return std::make_unique<WorkloadKindStrategy>(); }

}  // namespace berth::server
