// SPDX-License-Identifier: Apache-2.0
#include "server/custom/schema_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/document/field_error.h"
#include "api/typed/typed.h"
#include "api/wire/table.h"

namespace berth::server {
namespace {

bool IsMetaMember(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

class Pruner {
 public:
  explicit Pruner(std::vector<std::string>* unknown) : unknown_(unknown) {}

  // `schema` is null where nothing is known of the value.
  // `keeps`: its unknown members stay anyhow.
  void Prune(Json& value, const Schema* schema, bool is_resource, const std::string& path, bool keeps = false) {
    const bool preserves = keeps || (schema != nullptr && schema->preserves_unknown);
    if (value.is_map()) {
      PruneMembers(value, schema, is_resource, preserves, path);
    } else if (value.is_list() && NeedsPruning(value)) {
      size_t index = 0;
      for (Json& item : value.mutable_items()) {
        const std::string place = fmt::format("{}[{}]", path, index++);
        const Schema* const items = schema == nullptr ? nullptr : schema->items.get();
        // Below what is kept as it is, only what the schema knows is looked at.
        if (!preserves || items != nullptr) Prune(item, items, false, place, preserves);
      }
    }
  }

 private:
  static bool NeedsPruning(const Json& list) {
    return std::ranges::any_of(list.items(), [](const Json& item) { return item.is_map() || item.is_list(); });
  }

  void PruneMembers(Json& object, const Schema* schema, bool is_resource, bool preserves, const std::string& path) {
    std::vector<std::string> gone;
    for (Json::Member& member : object.mutable_members()) {
      const bool is_meta = IsMetaMember(member.name);
      if (schema != nullptr && (is_resource || schema->is_embedded) && is_meta) continue;
      const std::string place = path.empty() ? member.name.text() : fmt::format("{}.{}", path, member.name.text());
      const Schema* const property = schema == nullptr ? nullptr : schema->Find(member.name);
      if (property != nullptr) {
        Prune(member.value, property, false, place);
      } else if (schema != nullptr && schema->has_additional) {
        Prune(member.value, schema->additional.get(), false, place);
      } else if (!preserves) {
        if (unknown_ != nullptr && (!is_meta || !path.empty())) unknown_->push_back(place);
        gone.push_back(member.name);
      }
    }
    for (const std::string& name : gone) object.Erase(name);
  }

  std::vector<std::string>* unknown_;
};

bool IsLostNull(const Json& value, const Schema* schema) {
  return value.is_null() && schema != nullptr && !schema->nullable;
}

void DropNulls(Json& value, const Schema* schema) {
  if (value.is_map()) {
    std::vector<std::string> gone;
    for (Json::Member& member : value.mutable_members()) {
      const Schema* const of = schema == nullptr ? nullptr : schema->MemberSchema(member.name);
      if (IsLostNull(member.value, of) && of->standard.is_null()) {
        gone.push_back(member.name);
      } else {
        DropNulls(member.value, of);
      }
    }
    for (const std::string& name : gone) value.Erase(name);
  } else if (value.is_list()) {
    for (Json& item : value.mutable_items()) DropNulls(item, schema == nullptr ? nullptr : schema->items.get());
  }
}

void Default(Json& value, const Schema& schema) {
  if (value.is_map()) {
    for (const SchemaProperty& property : schema.properties) {
      if (property.schema.standard.is_null()) continue;
      const Json* const present = std::as_const(value).Find(property.name);
      if (present == nullptr || IsLostNull(*present, &property.schema)) {
        value.Set(property.name, property.schema.standard);
      }
    }
    for (Json::Member& member : value.mutable_members()) {
      const Schema* const of = schema.MemberSchema(member.name);
      if (of == nullptr) continue;
      if (IsLostNull(member.value, of)) member.value = of->standard;
      Default(member.value, *of);
    }
  } else if (value.is_list() && schema.items != nullptr) {
    for (Json& item : value.mutable_items()) {
      if (IsLostNull(item, schema.items.get())) item = schema.items->standard;
      Default(item, *schema.items);
    }
  }
}

Result<void> Settle(Json& value, const Schema* schema, bool is_resource, const std::string& path,
                    std::vector<std::string>* unknown) {
  static const api::wire::Message& kMetadata =
      *api::wire::FindMessage("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  const bool is_embedded = is_resource || (schema != nullptr && schema->is_embedded);
  if (is_embedded && !is_resource && value.is_map()) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const Json& said = std::as_const(value)[name];
      if (said.is_string() || !value.Has(name)) continue;
      return Invalid(fmt::format("{}.{}: Invalid value: {}: must be a string", path, name, said.ToText()));
    }
  }
  if (Json* const metadata = is_embedded && value.is_map() ? value.Find("metadata") : nullptr; metadata != nullptr) {
    std::vector<std::string> found;
    const Json given = *metadata;
    if (const Result<void> settled = api::Canonicalize(*metadata, kMetadata, &found); !settled) {
      if (is_resource) return settled;
      return Invalid(fmt::format("{}.metadata: Invalid value: {}: {}", path,
                                 given.is_string() ? api::GoQuote(given.text()) : given.ToText(),
                                 settled.error().message));
    }
    for (const std::string& each : found) {
      constexpr std::string_view kPrefix = "unknown field \"";
      if (unknown == nullptr || !each.starts_with(kPrefix)) continue;
      unknown->push_back(fmt::format("{}{}metadata.{}", path, path.empty() ? "" : ".",
                                     std::string_view(each).substr(kPrefix.size(), each.size() - kPrefix.size() - 1)));
    }
  }
  if (schema == nullptr) return {};
  if (value.is_map()) {
    const bool looks = std::ranges::any_of(value.members(), [&](const Json::Member& member) {
      return (member.value.is_map() || member.value.is_list()) && schema->MemberSchema(member.name) != nullptr;
    });
    if (!looks) return {};
    for (Json::Member& member : value.mutable_members()) {
      const Schema* const of = schema->MemberSchema(member.name);
      if (of == nullptr || (is_resource && member.name == "metadata")) continue;
      BERTH_CHECK_OK(Settle(member.value, of, false,
                            path.empty() ? member.name.text() : path + "." + member.name.text(), unknown));
    }
  } else if (value.is_list() && schema->items != nullptr && !value.empty()) {
    size_t index = 0;
    for (Json& item : value.mutable_items()) {
      BERTH_CHECK_OK(Settle(item, schema->items.get(), false, fmt::format("{}[{}]", path, index++), unknown));
    }
  }
  return {};
}

}  // namespace

void PruneObject(Json& object, const Schema& schema, std::vector<std::string>* unknown) {
  Pruner(unknown).Prune(object, &schema, true, "");
  if (unknown != nullptr) std::ranges::sort(*unknown);
}

void PruneValue(Json& value, const Schema& schema) { Pruner(nullptr).Prune(value, &schema, false, ""); }

void DefaultObject(Json& object, const Schema& schema) {
  DropNulls(object, &schema);
  Default(object, schema);
}

Result<void> SettleMetadata(Json& object, const Schema& schema, std::vector<std::string>* unknown) {
  return Settle(object, &schema, true, "", unknown);
}

}  // namespace berth::server
