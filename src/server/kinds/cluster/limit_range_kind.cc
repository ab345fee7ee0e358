// SPDX-License-Identifier: Apache-2.0
// Ranges of limits.
#include <fmt/format.h>

#include <set>

#include "server/kinds/cluster/quota_resources.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/container_resources.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

// One item of a range: what it says of each resource.
class LimitItem {
 public:
  LimitItem(const Json& item, const FieldPath& path, FieldErrors& errors) : item_(item), path_(path), errors_(errors) {}

  void Validate() {
    const std::string& type = item_["type"].text();
    CheckNames("max");
    CheckNames("min");
    if (type == "Pod") {
      for (const std::string_view list : {"default", "defaultRequest"}) {
        if (!item_[list].empty()) errors_.Forbidden(path_ / list, "may not be specified when `type` is 'Pod'");
      }
    } else {
      CheckNames("default");
      CheckNames("defaultRequest");
    }
    if (type == "PersistentVolumeClaim" && !item_["min"].Has("storage") && !item_["max"].Has("storage")) {
      errors_.Required(path_ / "limits",
                       "either minimum or maximum storage value is required, but neither was provided");
    }
    CheckNames("maxLimitRequestRatio");
    for (const std::string& resource : resources_) Compare(resource);
  }

 private:
  void CheckNames(std::string_view list) {
    const FieldPath at = path_ / list;
    const std::string& type = item_["type"].text();
    for (const auto& [resource, amount] : item_[list].members()) {
      resources_.insert(resource);
      if (type == "Pod" || type == "Container") {
        ValidateResourceName(resource, ResourceScope::kContainer, at.Key(resource), errors_);
      } else {
        CheckResourceName(errors_, at.Key(resource), resource);
      }
    }
  }

  // Reports that the first may not be greater than the second, both as upstream calls them.
  void CheckOrder(const std::string& resource, std::string_view small, std::string_view small_name,
                  std::string_view large, std::string_view large_name, std::string_view at, std::string_view value) {
    const Json& low = item_[small][resource];
    const Json& high = item_[large][resource];
    if (low.is_null() || high.is_null() || ToQuantity(low).Cmp(ToQuantity(high)) <= 0) return;
    const FieldPath list = path_ / at;
    errors_.Invalid(
        list.Key(resource), item_[value][resource],
        fmt::format("{} value {} is greater than {} value {}", small_name, low.text(), large_name, high.text()));
  }

  void Compare(const std::string& resource) {
    CheckOrder(resource, "min", "min", "max", "max", "min", "min");
    const bool has_defaults = item_["type"].text() != "Pod";
    if (has_defaults) {
      CheckOrder(resource, "min", "min", "defaultRequest", "default request", "defaultRequest", "defaultRequest");
      CheckOrder(resource, "defaultRequest", "default request", "max", "max", "defaultRequest", "defaultRequest");
      CheckOrder(resource, "defaultRequest", "default request", "default", "default limit", "defaultRequest",
                 "defaultRequest");
      CheckOrder(resource, "min", "min", "default", "default", "default", "min");
      CheckOrder(resource, "default", "default", "max", "max", "default", "max");
    }
    CompareRatio(resource);
    if (has_defaults) CompareDefaults(resource);
  }

  void CompareRatio(const std::string& resource) {
    const Json& text = item_["maxLimitRequestRatio"][resource];
    if (text.is_null()) return;
    const FieldPath list = path_ / "maxLimitRequestRatio";
    const api::Quantity ratio = ToQuantity(text);
    if (ratio.Cmp(api::Quantity::FromInt(1)) < 0) {
      errors_.Invalid(list.Key(resource), text, fmt::format("ratio {} is less than 1", text.text()));
    }
    const Json& low = item_["min"][resource];
    const Json& high = item_["max"][resource];
    if (low.is_null() || high.is_null()) return;
    const double limit =
        static_cast<double>(ToQuantity(high).MilliValue()) / static_cast<double>(ToQuantity(low).MilliValue());
    if (static_cast<double>(ratio.MilliValue()) / 1000 > limit) {
      errors_.Invalid(list.Key(resource), text,
                      fmt::format("ratio {} is greater than max/min = {:f}", text.text(), limit));
    }
  }

  void CompareDefaults(const std::string& resource) {
    const Json& limit = item_["default"][resource];
    const Json& request = item_["defaultRequest"][resource];
    if (AllowsOvercommit(resource) || limit.is_null() || request.is_null()) return;
    if (ToQuantity(limit) == ToQuantity(request)) return;
    const FieldPath list = path_ / "defaultRequest";
    errors_.Invalid(list.Key(resource), request,
                    fmt::format("default value {} must equal to defaultRequest value {} in {}", limit.text(),
                                request.text(), resource));
  }

  const Json& item_;
  const FieldPath& path_;
  FieldErrors& errors_;
  std::set<std::string> resources_;
};

class LimitRangeStrategy final : public Strategy {
 public:
  void Default(Json& range, bool /*is_create*/) const override {
    Json* limits = range.Make("spec").Find("limits");
    if (limits == nullptr || !limits->is_list()) return;
    for (Json& item : limits->mutable_items()) {
      for (const char* list : {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}) {
        RoundResourceList(item.Find(list));
      }
      if (item["type"].text() != "Container") continue;
      Fill(item, "default", "max");
      Fill(item, "defaultRequest", "default");
      Fill(item, "defaultRequest", "min");
    }
  }

  void Validate(const Json& range, FieldErrors& errors) const override {
    static constexpr FieldPath kPath("spec.limits");
    const Json& limits = range["spec"]["limits"];
    std::set<std::string> seen;
    for (size_t i = 0; i < limits.size(); ++i) {
      const FieldPath path = kPath[i];
      const std::string& type = limits[i]["type"].text();
      CheckType(errors, path / "type", type);
      if (!seen.insert(type).second) errors.Duplicate(path / "type", type);
      LimitItem(limits[i], path, errors).Validate();
    }
  }

  bool allows_create_on_update() const override { return true; }

 private:
  // What `list` lacks it gets from `source`.
  static void Fill(Json& item, std::string_view list, std::string_view source) {
    const Json amounts = item[source];
    for (const auto& [resource, amount] : amounts.members()) item.Make(list).SetDefault(resource, amount);
  }

  static void CheckType(FieldErrors& errors, const FieldPath& path, const std::string& type) {
    const size_t before = errors.all().size();
    CheckQualifiedName(errors, path, type);
    if (errors.all().size() != before || type.find('/') != type.npos) return;
    if (type != "Pod" && type != "Container" && type != "PersistentVolumeClaim") {
      errors.Invalid(path, type, "must be a standard limit type or fully qualified");
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeLimitRangeStrategy() { return std::make_unique<LimitRangeStrategy>(); }

}  // namespace berth::server
