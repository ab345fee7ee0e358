// SPDX-License-Identifier: Apache-2.0
// Nodes.
#include <algorithm>
#include <set>
#include <utility>

#include "api/parts/selector.h"
#include "framework/feature_gates.h"
#include "server/kinds/declared_rules.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/kinds/network/network_rules.h"
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/container_resources.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr FieldPath kTaints("metadata.taints");  // Where upstream reports them, though they are in the spec.
constexpr FieldPath kPodCidrs("spec.podCIDRs");
constexpr FieldPath kProviderId("spec.providerID");

constexpr FieldRules kPodPreemptionPolicyFields[] = {
    {.name = "disableResizePreemption", .items_max = 20, .is_set = true, .format = api::ValidateQualifiedName}};
constexpr TypeRules kPodPreemptionPolicy = {"core.v1.NodePodPreemptionPolicy", kPodPreemptionPolicyFields};
constexpr FieldRules kNodeSpecFields[] = {{.name = "podPreemptionPolicy",
                                           .type = &kPodPreemptionPolicy,
                                           .gate = framework::Gate::kInPlacePodVerticalScalingSchedulerPreemption}};
constexpr TypeRules kNodeSpec = {"core.v1.NodeSpec", kNodeSpecFields};

std::string JoinProblems(const std::vector<std::string>& problems) {
  std::string joined;
  for (const std::string& problem : problems) joined.append(joined.empty() ? "" : ";").append(problem);
  return joined;
}

void ValidateTaint(const Json& taint, const FieldPath& path, FieldErrors& errors) {
  CheckQualifiedName(errors, path / "key", taint["key"].text());
  const std::string& value = taint["value"].text();
  if (const auto problems = api::ValidateLabelValue(value); !problems.empty()) {
    errors.Invalid(path / "value", value, JoinProblems(problems));
  }
  CheckEnum(errors, path, taint, "effect", {"NoSchedule", "PreferNoSchedule", "NoExecute"});
}

void ValidateTaints(const Json& taints, FieldErrors& errors) {
  std::set<std::pair<std::string, std::string>> seen;
  for (size_t i = 0; i < taints.size(); ++i) {
    const Json& taint = taints[i];
    ValidateTaint(taint, kTaints[i], errors);
    if (!seen.emplace(taint["effect"].text(), taint["key"].text()).second) {
      errors.Add({"FieldValueDuplicate",
                  "Duplicate value: " + InternalText(taint, "core.v1.Taint") +
                      ": taints must be unique by key and effect pair",
                  kTaints[i]});
    }
  }
}

void ValidateAmounts(const Json& status, FieldErrors& errors) {
  for (const std::string_view list : {"capacity", "allocatable"}) {
    const FieldPath path = FieldPath("status");
    const FieldPath list_path = path / list;
    for (const auto& [resource, amount] : status[list].members()) {
      ValidateAmount(resource, amount, list_path / resource, errors);
    }
  }
}

void ValidatePodCidrs(const Json& cidrs, FieldErrors& errors) {
  std::set<int> families;
  for (size_t i = 0; i < cidrs.size(); ++i) {
    Report(errors, kPodCidrs[i], cidrs[i].text(), CheckCidr(cidrs[i].text()));
    families.insert(CidrFamily(cidrs[i].text()));
  }
  if (cidrs.size() > 1 && (families.size() != 2 || cidrs.size() > 2)) {
    errors.Invalid(kPodCidrs, cidrs, "may specify no more than one CIDR for each IP family");
  }
}

// The first of several has a field of its own, which counts if they differ.
void DefaultCidrs(Json& spec) {
  const std::string single = spec["podCIDR"].text();
  const Json& first = spec["podCIDRs"][size_t{0}];
  if (!single.empty() && first.text() != single) {
    spec.Set("podCIDRs", Json::MakeList({Json::String(single)}));
  } else if (single.empty() && !first.is_null()) {
    spec.Set("podCIDR", Json(first));
  }
}

class NodeStrategy final : public Strategy {
 public:
  void Default(Json& node, bool /*is_create*/) const override {
    DefaultCidrs(node.Make("spec"));
    Json& status = node.Make("status");
    for (const char* list : {"capacity", "allocatable"}) RoundResourceList(status.Find(list));
    if (status.Has("capacity")) status.SetDefault("allocatable", Json(status["capacity"]));
  }

  void PrepareCreate(Json& node) const override {
    node.Make("spec").Erase("configSource");
    node.Make("status").Erase("config");
    DropUngated(kNodeSpec, node.Make("spec"), Json(), gates());
  }
  void PrepareUpdate(Json& node, const Json& old) const override {
    node.Set("status", old["status"]);
    if (!old["spec"].Has("configSource")) node.Make("spec").Erase("configSource");
    DropUngated(kNodeSpec, node.Make("spec"), old["spec"], gates());
  }

  void Validate(const Json& node, FieldErrors& errors) const override {
    ValidateParts(node, errors);
    ValidateDeclared(kNodeSpec, node["spec"], nullptr, gates(), kSpec, errors);
  }
  void ValidateChange(const Json& node, const Json& old, FieldErrors& errors) const override {
    ValidateParts(node, errors);
    ValidateUpdate(node, old, errors);
    ValidateDeclared(kNodeSpec, node["spec"], &old["spec"], gates(), kSpec, errors);
  }

  void ValidateUpdate(const Json& node, const Json& old, FieldErrors& errors) const override {
    if (!old["spec"]["podCIDRs"].empty() && node["spec"]["podCIDRs"] != old["spec"]["podCIDRs"]) {
      errors.Forbidden(kPodCidrs, "node updates may not change podCIDR except from \"\" to valid");
    }
    ValidateProvider(node, old, errors);
    if (node["spec"]["externalID"] != old["spec"]["externalID"]) {
      errors.Forbidden("spec.externalID", "may not be updated");
    }
  }

  void ValidateStatusUpdate(const Json& node, const Json& /*old*/, FieldErrors& errors) const override {
    ValidateAmounts(node["status"], errors);
    ValidateAddresses(node["status"]["addresses"], errors);
  }

  bool has_status() const override { return true; }
  bool keeps_status_at_create() const override { return true; }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"spec.unschedulable"};
    return kFields;
  }
  std::string SelectableField(const Json& node, std::string_view /*path*/) const override {
    return node["spec"]["unschedulable"].AsBool() ? "true" : "false";
  }

 private:
  static void ValidateParts(const Json& node, FieldErrors& errors) {
    ValidateTaints(node["spec"]["taints"], errors);
    ValidateAmounts(node["status"], errors);
    ValidatePodCidrs(node["spec"]["podCIDRs"], errors);
  }

  static void ValidateProvider(const Json& node, const Json& old, FieldErrors& errors) {
    const std::string& provider = node["spec"]["providerID"].text();
    const std::string& old_provider = old["spec"]["providerID"].text();
    if (old_provider.empty() || provider == old_provider) return;
    errors.Invalid(kProviderId, Json(),
                   provider.empty() ? "field cannot be cleared once set" : "field cannot be modified once set");
  }

  static void ValidateAddresses(const Json& addresses, FieldErrors& errors) {
    static constexpr FieldPath kPath("status.addresses");
    for (size_t i = 0; i < addresses.size(); ++i) {
      const auto begin = addresses.items().begin();
      if (std::find(begin, begin + static_cast<ptrdiff_t>(i), addresses[i]) == begin + static_cast<ptrdiff_t>(i)) {
        continue;
      }
      errors.Add(
          {"FieldValueDuplicate", "Duplicate value: " + InternalText(addresses[i], "core.v1.NodeAddress"), kPath[i]});
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeNodeStrategy() { return std::make_unique<NodeStrategy>(); }

}  // namespace berth::server
