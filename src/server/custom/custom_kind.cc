// SPDX-License-Identifier: Apache-2.0
#include "server/custom/custom_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "server/custom/definition_kind.h"
#include "server/custom/numbers.h"
#include "server/custom/schema_validation.h"
#include "server/custom/schema_values.h"
#include "server/model/version_order.h"
#include "server/patch/go_text.h"

namespace berth::server {
namespace {

// Takes the first name of a path such as .spec.replicas.
std::string_view TakeStep(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  const std::string_view name = path.substr(0, path.find('.'));
  path.remove_prefix(name.size());
  return name;
}

bool SameBesidesMetadata(const Json& left, const Json& right) {
  const auto same = [](const Json& one, const Json& other) {
    return std::ranges::all_of(one.members(), [&](const Json::Member& member) {
      if (member.name == "metadata") return true;
      const Json* const found = other.Find(member.name);
      return found != nullptr && *found == member.value;
    });
  };
  return same(left, right) && same(right, left);
}

std::string DeprecationOf(const Json& definition, const Json& version) {
  if (!version["deprecated"].AsBool()) return {};
  if (const std::string& given = version["deprecationWarning"].text(); !given.empty()) return given;
  const Json& spec = definition["spec"];
  const auto named = [&](std::string_view name) {
    return fmt::format("{}/{} {}", spec["group"].text(), name, spec["names"]["kind"].text());
  };
  std::string better;
  for (const Json& each : spec["versions"].items()) {
    const std::string& name = each["name"].text();
    if (!each["served"].AsBool() || each["deprecated"].AsBool()) continue;
    if (VersionGoesBefore(name, better.empty() ? version["name"].text() : better)) better = name;
  }
  const std::string warning = named(version["name"].text()) + " is deprecated";
  return better.empty() ? warning : fmt::format("{}; use {}", warning, named(better));
}

}  // namespace

const Json& ValueAt(const Json& object, std::string_view path) {
  const Json* at = &object;
  while (!path.empty()) at = &(*at)[TakeStep(path)];
  return *at;
}

void SetValueAt(Json& object, std::string_view path, Json value) {
  Json* at = &object;
  while (!path.empty()) at = &at->Make(TakeStep(path));
  *at = std::move(value);
}

CustomKind::CustomKind(const Json& definition, const Json& version)
    : group_(definition["spec"]["group"].text()),
      version_(version["name"].text()),
      kind_(definition["spec"]["names"]["kind"].text()),
      api_version_(group_ + "/" + version_),
      source_(version["schema"]["openAPIV3Schema"]),
      schema_(ReadSchema(source_)),
      rules_(Rules::Make(schema_, true)),
      apply_types_(schema_),
      printer_(version["additionalPrinterColumns"]),
      has_status_(version["subresources"]["status"].is_map()),
      deprecation_(DeprecationOf(definition, version)),
      is_ending_(IsDefinitionCondition(definition, "Terminating", "True")) {
  for (const Json& each : definition["spec"]["versions"].items()) {
    api_versions_.push_back(group_ + "/" + each["name"].text());
  }
  if (const Json& scale = version["subresources"]["scale"]; scale.is_map()) {
    scale_ = ScalePaths{.spec_replicas = scale["specReplicasPath"].text(),
                        .status_replicas = scale["statusReplicasPath"].text(),
                        .label_selector = scale["labelSelectorPath"].text()};
  }
  for (const Json& field : version["selectableFields"].items()) {
    const std::string& path = field["jsonPath"].text();
    selectable_paths_.push_back(path.starts_with('.') ? path.substr(1) : path);
  }
  selectable_.assign(selectable_paths_.begin(), selectable_paths_.end());
}

Result<void> CustomKind::Canonicalize(Json& object, std::vector<std::string>* unknown) const {
  std::vector<std::string> paths;
  std::vector<std::string>* const wanted = unknown == nullptr ? nullptr : &paths;
  object.Make("metadata");
  BERTH_CHECK_OK(NormalizeNumbers(object));
  BERTH_CHECK_OK(SettleMetadata(object, schema_, wanted));
  PruneObject(object, schema_, wanted);
  for (const std::string& path : paths) unknown->push_back(fmt::format("unknown field \"{}\"", path));
  return {};
}

bool CustomKind::HasVersion(std::string_view api_version) const {
  return std::ranges::find(api_versions_, api_version) != api_versions_.end();
}

void CustomKind::Default(Json& object, bool /*is_create*/) const { DefaultObject(object, schema_); }

void CustomKind::PrepareCreate(Json& object) const {
  if (has_status_) object.Erase("status");
  object.Make("metadata").Set("generation", Json::Int(1));
}

void CustomKind::PrepareUpdate(Json& object, const Json& old) const {
  if (has_status_) {
    if (const Json* const status = old.Find("status")) {
      object.Set("status", *status);
    } else {
      object.Erase("status");
    }
  }
  if (SameBesidesMetadata(object, old)) return;
  object.Make("metadata").Set("generation", Json::Int(old["metadata"]["generation"].IntOr(0) + 1));
}

void CustomKind::PrepareStatusUpdate(Json& object, const Json& old) const {
  Json changed = old;
  if (const Json* const status = std::as_const(object).Find("status")) {
    changed.Set("status", *status);
  } else {
    changed.Erase("status");
  }
  const Json& metadata = std::as_const(object)["metadata"];
  if (metadata.Has("managedFields")) {
    changed.Make("metadata").Set("managedFields", metadata["managedFields"]);
  } else {
    changed.Make("metadata").Erase("managedFields");
  }
  object = std::move(changed);
}

void CustomKind::ValidateKind(const Json& object, FieldErrors& errors) const {
  if (object["kind"].text() != kind_) errors.Invalid("kind", object["kind"].text(), "must be " + kind_);
  if (object["apiVersion"].text() != api_version_) {
    errors.Invalid("apiVersion", object["apiVersion"].text(), "must be " + api_version_);
  }
}

void CustomKind::ValidateScale(const Json& object, bool with_spec, FieldErrors& errors) const {
  if (!scale_) return;
  const auto check = [&](const std::string& path) {
    const std::string_view parent = std::string_view(path).substr(0, path.rfind('.'));
    const Json& owner = ValueAt(object, parent);
    if (!owner.is_null() && !owner.is_map()) {
      return errors.Invalid(path, Json::Int(0),
                            fmt::format("{} accessor error: {} is of the type {}, expected map[string]interface{{}}",
                                        path, GoText(owner), GoType(owner)));
    }
    const Json& value = ValueAt(object, path);
    if (value.is_null()) return;
    const std::optional<int64_t> replicas = value.AsInt();
    if (!replicas) {
      errors.Invalid(path, Json::Int(0),
                     fmt::format("{} accessor error: {} is of the type {}, expected int64", path, value.ToText(),
                                 value.is_string() ? "string" : "float64"));
    } else if (*replicas < 0) {
      errors.Invalid(path, value, "should be a non-negative integer");
    } else if (*replicas > std::numeric_limits<int32_t>::max()) {
      errors.Invalid(path, value,
                     fmt::format("should be less than or equal to {}", std::numeric_limits<int32_t>::max()));
    }
  };
  if (with_spec) check(scale_->spec_replicas);
  check(scale_->status_replicas);
}

void CustomKind::ValidateRules(const Json& object, const Json* old, FieldErrors& errors) const {
  if (rules_ == nullptr) return;
  static constexpr std::string_view kBlocking[] = {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong",
                                                   "FieldValueTooMany", "FieldValueTypeInvalid"};
  const bool is_blocked = std::ranges::any_of(errors.all(), [](const FieldError& error) {
    return std::ranges::find(kBlocking, error.reason) != std::end(kBlocking);
  });
  if (is_blocked) {
    return errors.Invalid("<nil>", Json(),
                          "some validation rules were not checked because the object was invalid; correct the existing "
                          "errors to complete validation");
  }
  rules_->Check(object, old, true, "", Rules::kBudget, errors);
}

void CustomKind::Validate(const Json& object, FieldErrors& errors) const {
  ValidateKind(object, errors);
  if (!errors.empty()) return;
  ValidateValue(object, nullptr, schema_, "", errors);
  ValidateScale(object, true, errors);
  ValidateEmbedded(object, schema_, errors);
  ValidateListTypes(object, schema_, errors);
  ValidateRules(object, nullptr, errors);
}

void CustomKind::ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const {
  ValidateKind(object, errors);
  if (!errors.empty()) return;
  ValidateValue(object, &old, schema_, "", errors);
  ValidateScale(object, true, errors);
  ValidateEmbedded(object, schema_, errors);
  FieldErrors before;
  ValidateListTypes(old, schema_, before);
  if (before.empty()) ValidateListTypes(object, schema_, errors);
  ValidateRules(object, &old, errors);
}

void CustomKind::ValidateStatusUpdate(const Json& object, const Json& old, FieldErrors& errors) const {
  ValidateKind(object, errors);
  if (!errors.empty()) return;
  const Schema* const status = schema_.Find("status");
  if (status != nullptr && object.Has("status")) {
    ValidateValue(object["status"], old.Find("status"), *status, "status", errors);
  }
  ValidateScale(object, false, errors);
  FieldErrors before;
  ValidateListTypes(old, schema_, before);
  if (before.empty()) ValidateListTypes(object, schema_, errors);
  ValidateRules(object, &old, errors);
}

std::string CustomKind::SelectableField(const Json& object, std::string_view path) const {
  const Json& value = ValueAt(object, path);
  if (value.is_bool()) return value.AsBool() ? "true" : "false";
  return value.text();
}

}  // namespace berth::server
