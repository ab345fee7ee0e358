// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/declared_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/typed/typed.h"
#include "api/wire/table.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

bool IsAbsent(const Json& value) { return value.is_null() || (value.is_list() && value.empty()); }

// Whether a value that must be there is missing: zero is no value.
bool IsZero(const Json& value) {
  return IsAbsent(value) || (value.is_string() && value.text().empty()) || (value.is_number() && value.IntOr(1) == 0);
}

bool IsSame(const Json& value, const Json& old) { return value == old || (IsAbsent(value) && IsAbsent(old)); }

const Json* FindItem(const Json& list, std::string_view key, const Json& item) {
  const auto found = std::ranges::find_if(list.items(), [&](const Json& each) { return each[key] == item[key]; });
  return found == list.items().end() ? nullptr : &*found;
}

class Validation {
 public:
  Validation(bool is_update, const framework::FeatureGates& gates, FieldErrors& errors)
      : is_update_(is_update), gates_(gates), errors_(errors) {}

  // `old` is null if this was not there before.
  void CheckType(const TypeRules& type, const Json& object, const Json* old, const FieldPath& path) {
    if (!type.one_of.empty()) CheckChoice(type.one_of, object, old, path);
    for (const FieldRules& field : type.fields) {
      CheckField(field, object[field.name], old == nullptr ? nullptr : &(*old)[field.name], path / field.name);
    }
  }

 private:
  void CheckChoice(std::span<const std::string_view> names, const Json& object, const Json* old,
                   const FieldPath& path) {
    std::vector<std::string> all;
    std::vector<std::string_view> chosen;
    bool is_changed = !is_update_ || old == nullptr;
    for (const std::string_view name : names) {
      const bool is_set = !IsAbsent(object[name]);
      if (!is_changed) is_changed = is_set == IsAbsent((*old)[name]);
      if (is_set) chosen.push_back(name);
      all.push_back(fmt::format("`{}`", name));
    }
    if (!is_changed || chosen.size() == 1) return;
    if (chosen.empty()) return errors_.Invalid(path, "", fmt::format("must specify one of: {}", fmt::join(all, ", ")));
    errors_.Invalid(path, fmt::format("{{{}}}", fmt::join(chosen, ", ")),
                    fmt::format("must specify exactly one of: {}", fmt::join(all, ", ")));
  }

  void CheckField(const FieldRules& field, const Json& value, const Json* old, const FieldPath& path) {
    if (is_update_ && old != nullptr && IsSame(value, *old)) return;
    if (!MayBeSo(field, value, old, path)) return;
    if (field.is_set) return CheckSet(field, value, old, path);
    if (field.format != nullptr) Report(errors_, path, value.text(), field.format(value.text()));
    if (value.is_number()) CheckRange(field, value, path);
    if (!field.values.empty() && std::ranges::find(field.values, value.text()) == field.values.end()) {
      errors_.NotSupported(path, value.text(), {field.values.begin(), field.values.end()});
    }
    if (field.type == nullptr) return;
    value.is_list() ? CheckItems(field, value, old, path) : CheckType(*field.type, value, old, path);
  }

  // Whether there is a value that is to be looked at more closely.
  bool MayBeSo(const FieldRules& field, const Json& value, const Json* old, const FieldPath& path) {
    const size_t before = errors_.all().size();
    const bool is_absent = field.is_required ? IsZero(value) : IsAbsent(value);
    if (!is_absent && field.gate && !field.is_only_dropped && !gates_.Enabled(*field.gate)) errors_.Forbidden(path, "");
    if (is_update_ && field.is_immutable) errors_.Invalid(path, Json(), "field is immutable");
    if (value.size() > field.items_max) errors_.TooMany(path, value.size(), field.items_max);
    if (is_absent && field.is_required) errors_.Required(path);
    if (is_update_ && field.stays_set) CheckStaysSet(value, old, path);
    if (is_update_ && field.keeps_items) CheckKeepsItems(field, value, old, path);
    return !is_absent && errors_.all().size() == before;
  }

  void CheckStaysSet(const Json& value, const Json* old, const FieldPath& path) {
    const bool was_set = old != nullptr && !IsAbsent(*old);
    if (!was_set && !IsAbsent(value)) errors_.Invalid(path, Json(), "field cannot be set once created");
    if (was_set && IsAbsent(value)) errors_.Invalid(path, Json(), "field cannot be cleared once set");
  }

  void CheckKeepsItems(const FieldRules& field, const Json& value, const Json* old, const FieldPath& path) {
    const Json& before = old == nullptr ? Json() : *old;
    for (size_t i = 0; i < value.size(); ++i) {
      if (FindItem(before, field.key, value[i]) == nullptr) errors_.Forbidden(path[i], "item may not be added");
    }
    for (const Json& item : before.items()) {
      if (FindItem(value, field.key, item) == nullptr) errors_.Forbidden(path, "item may not be removed");
    }
  }

  void CheckRange(const FieldRules& field, const Json& value, const FieldPath& path) {
    const int64_t number = value.IntOr(0);
    if (number < field.min) errors_.Invalid(path, value, fmt::format("must be greater than or equal to {}", field.min));
    if (number > field.max) errors_.Invalid(path, value, fmt::format("must be less than or equal to {}", field.max));
  }

  void CheckSet(const FieldRules& field, const Json& value, const Json* old, const FieldPath& path) {
    const auto has = [](std::span<const Json> items, const Json& item) {
      return std::ranges::find(items, item) != items.end();
    };
    const std::span<const Json> items = value.items();
    for (size_t i = 0; i < items.size(); ++i) {
      if (old != nullptr && has(old->items(), items[i])) continue;
      Report(errors_, path[i], items[i].text(), field.format(items[i].text()));
    }
    for (size_t i = 0; i < items.size(); ++i) {
      if (has(items.first(i), items[i])) errors_.Duplicate(path[i], items[i].text());
    }
  }

  void CheckItems(const FieldRules& field, const Json& value, const Json* old, const FieldPath& path) {
    if (!field.key.empty()) CheckUnique(field, value, path);
    for (size_t i = 0; i < value.size(); ++i) {
      const Json* before = old == nullptr || field.key.empty() ? nullptr : FindItem(*old, field.key, value[i]);
      if (is_update_ && before != nullptr && *before == value[i]) continue;
      CheckType(*field.type, value[i], before, path[i]);
    }
  }

  void CheckUnique(const FieldRules& field, const Json& value, const FieldPath& path) {
    for (size_t i = 0; i < value.size(); ++i) {
      if (FindItem(value, field.key, value[i]) == &value[i]) continue;
      const api::wire::Message* const message =
          api::wire::FindMessage(fmt::format("io.k8s.api.{}", field.type->message));
      errors_.Add({.reason = "FieldValueDuplicate",
                   .message = fmt::format("Duplicate value: {}", api::EncodeJson(value[i], *message)),
                   .field = path[i]});
    }
  }

  const bool is_update_;
  const framework::FeatureGates& gates_;
  FieldErrors& errors_;
};

}  // namespace

void ValidateDeclared(const TypeRules& type, const Json& object, const Json* old, const framework::FeatureGates& gates,
                      const FieldPath& path, FieldErrors& errors) {
  Validation(old != nullptr, gates, errors).CheckType(type, object, old, path);
}

void DropUngated(const TypeRules& type, Json& object, const Json& old, const framework::FeatureGates& gates) {
  for (const FieldRules& field : type.fields) {
    Json* const value = object.Find(field.name);
    if (value == nullptr) continue;
    const Json& before = old[field.name];
    if (field.gate && !gates.Enabled(*field.gate) && IsAbsent(before)) {
      object.Erase(field.name);
    } else if (field.type != nullptr && value->is_map()) {
      DropUngated(*field.type, *value, before, gates);
    } else if (field.type != nullptr && value->is_list()) {
      for (Json& item : value->mutable_items()) {
        const Json* const same = field.key.empty() ? nullptr : FindItem(before, field.key, item);
        DropUngated(*field.type, item, same == nullptr ? Json() : *same, gates);
      }
    }
  }
}

}  // namespace berth::server
