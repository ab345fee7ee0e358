// SPDX-License-Identifier: Apache-2.0
// Priority classes and runtime classes.
#include <fmt/format.h>

#include <set>
#include <tuple>

#include "server/kinds/immutable.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pods/container_resources.h"
#include "server/kinds/pods/pod_tolerations.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

constexpr std::string_view kSystemPrefix = "system-";
constexpr int64_t kUserPriorityMax = 1'000'000'000;

struct SystemClass {
  std::string_view name;
  int64_t value;
};

constexpr SystemClass kSystemClasses[] = {{"system-node-critical", 2'000'001'000},
                                          {"system-cluster-critical", 2'000'000'000}};

// Why this is not one of the classes of the system; empty if it is.
std::string SystemProblem(const Json& object) {
  const std::string& name = object["metadata"]["name"].text();
  for (const SystemClass& system : kSystemClasses) {
    if (system.name != name) continue;
    if (object["value"].IntOr(0) != system.value) {
      return fmt::format("value of {} PriorityClass must be {}", name, system.value);
    }
    if (object["globalDefault"].AsBool()) return fmt::format("globalDefault of {} PriorityClass must be false", name);
    return {};
  }
  return fmt::format("{} is not a known system priority class", name);
}

class PriorityClassStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    object.SetDefault("preemptionPolicy", Json::String("PreemptLowerPriority"));
  }

  void PrepareCreate(Json& object) const override { object.Make("metadata").Set("generation", Json::Int(1)); }
  void PrepareUpdate(Json& /*object*/, const Json& /*old*/) const override {}

  void Validate(const Json& object, FieldErrors& errors) const override {
    if (object["metadata"]["name"].text().starts_with(kSystemPrefix)) {
      if (const std::string problem = SystemProblem(object); !problem.empty()) {
        errors.Forbidden(
            "metadata.name",
            fmt::format("priority class names with '{}' prefix are reserved for system use only. error: {}",
                        kSystemPrefix, problem));
      }
    } else if (object["value"].IntOr(0) > kUserPriorityMax) {
      errors.Forbidden("value",
                       fmt::format("maximum allowed value of a user defined priority is {}", kUserPriorityMax));
    }
    if (object.Has("preemptionPolicy")) {
      CheckEnum(errors, FieldPath(""), object, "preemptionPolicy", {"PreemptLowerPriority", "Never"});
    }
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    if (object["value"] != old["value"]) errors.Forbidden("value", "may not be changed in an update.");
    CheckImmutable(errors, FieldPath("preemptionPolicy"), object["preemptionPolicy"], old["preemptionPolicy"]);
  }
};

class RuntimeClassStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    if (object.Has("overhead")) {
      const Json limits{{"limits", object["overhead"]["podFixed"]}};
      ValidateResources(limits, ResourceScope::kContainer, {}, FieldPath("overhead"), errors);
    }
    if (const Json* scheduling = object.Find("scheduling")) ValidateScheduling(*scheduling, errors);
    CheckRequiredDnsLabel(errors, FieldPath(""), object, "handler");
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    CheckUnchanged(errors, FieldPath("handler"), object["handler"], old["handler"]);
  }

  bool allows_unconditional_update() const override { return false; }
  bool allows_create_on_update() const override { return true; }

 private:
  static void ValidateScheduling(const Json& scheduling, FieldErrors& errors) {
    static constexpr FieldPath kPath("scheduling");
    ValidateLabels(scheduling["nodeSelector"], kPath / "nodeSelector", errors);
    const Json& tolerations = scheduling["tolerations"];
    const FieldPath path = kPath / "tolerations";
    ValidateTolerations(tolerations, path, errors);
    std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
    for (size_t i = 0; i < tolerations.size(); ++i) {
      const Json& each = tolerations[i];
      if (!seen.emplace(each["key"].text(), each["operator"].text(), each["value"].text(), each["effect"].text())
               .second) {
        errors.Duplicate(path[i], each);
      }
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakePriorityClassStrategy() { return std::make_unique<PriorityClassStrategy>(); }
std::unique_ptr<Strategy> MakeRuntimeClassStrategy() { return std::make_unique<RuntimeClassStrategy>(); }

}  // namespace berth::server
