// SPDX-License-Identifier: Apache-2.0
#include "server/custom/definition_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "server/custom/definition_validation.h"
#include "server/custom/definition_warnings.h"
#include "server/custom/numbers.h"
#include "server/custom/schema_rules.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

// The version that objects are kept in; nothing if none is marked.
std::optional<std::string> StorageVersion(const Json& definition) {
  for (const Json& version : definition["spec"]["versions"].items()) {
    if (version["storage"].AsBool()) return version["name"].text();
  }
  return std::nullopt;
}

void AddStoredVersion(Json& definition) {
  const std::optional<std::string> storage = StorageVersion(definition);
  if (!storage) return;
  const Json name = Json::String(*storage);
  const Json::List& stored = std::as_const(definition)["status"]["storedVersions"].items();
  if (std::ranges::find(stored, name) != stored.end()) return;
  Json& status = definition.Make("status");
  if (!std::as_const(status)["storedVersions"].is_list()) status.Set("storedVersions", Json::MakeList());
  status.Make("storedVersions").Append(name);
}

// What upstream writes of a status that nobody has set.
Json EmptyStatus() {
  return Json{{"conditions", Json()},
              {"acceptedNames", Json{{"plural", Json::String("")}, {"kind", Json::String("")}}},
              {"storedVersions", Json()}};
}

class DefinitionStrategy final : public Strategy {
 public:
  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    Json& names = spec.Make("names");
    const std::string kind = std::as_const(names)["kind"].text();
    if (std::as_const(names)["singular"].text().empty() && !kind.empty()) names.Set("singular", Lower(kind));
    if (std::as_const(names)["listKind"].text().empty() && !kind.empty()) names.Set("listKind", kind + "List");
    spec.SetDefault("conversion", Json{{"strategy", Json::String("None")}});
    Json* const client = spec.Make("conversion").Find("webhook");
    if (client != nullptr && client->is_map()) {
      if (Json* const config = client->Find("clientConfig"); config != nullptr && config->is_map()) {
        if (Json* const service = config->Find("service"); service != nullptr && service->is_map()) {
          service->SetDefault("port", Json::Int(443));
        }
      }
    }
    if (Json* const versions = spec.Find("versions"); versions != nullptr && versions->is_list()) {
      for (Json& version : versions->mutable_items()) NormalizeIn(version);
    }
    if (std::as_const(object)["status"].is_map() && std::as_const(object)["status"]["storedVersions"].empty()) {
      AddStoredVersion(object);
    }
  }

  void PrepareCreate(Json& object) const override {
    object.Set("status", EmptyStatus());
    AddStoredVersion(object);
    object.Make("metadata").Set("generation", Json::Int(1));
  }

  void PrepareUpdate(Json& object, const Json& old) const override {
    Strategy::PrepareUpdate(object, old);
    AddStoredVersion(object);
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    const std::string expected = spec["names"]["plural"].text() + "." + spec["group"].text();
    for (const std::string_view name : {"generateName", "name"}) {
      const std::string& given = object["metadata"][name].text();
      if (given.empty() || given == expected) continue;
      errors.Invalid(Child("metadata", name), given, "must be spec.names.plural+\".\"+spec.group");
    }
    ValidateDefinition(object, nullptr, errors);
    for (std::string& warning : DefinitionWarnings(object)) errors.Warn(std::move(warning));
  }
  void ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const override {
    ValidateDefinition(object, &old, errors);
    const std::vector<std::string> known = DefinitionWarnings(old);
    for (std::string& warning : DefinitionWarnings(object)) {
      if (std::ranges::find(known, warning) == known.end()) errors.Warn(std::move(warning));
    }
  }

  void PrepareDelete(Json& object, Time now) const override {
    if (std::as_const(object)["metadata"].Has("deletionTimestamp")) return;
    AddFinalizer(object.Make("metadata"), kCleanupFinalizer);
    SetDefinitionCondition(object, "Terminating", "True", "InstanceDeletionPending",
                           "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
                           now);
  }

  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }
  bool counts_deletion() const override { return false; }
  bool allows_unconditional_update() const override { return false; }

 private:
  static void NormalizeIn(Json& version) {
    if (!version.is_map()) return;
    Json* const schema = version.Find("schema");
    Json* const root = schema == nullptr || !schema->is_map() ? nullptr : schema->Find("openAPIV3Schema");
    if (root == nullptr) return;
    NormalizeMembers(*root);
    static_cast<void>(NormalizeNumbers(*root));  // What cannot be a number is refused as a schema.
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeCustomResourceDefinitionStrategy() { return std::make_unique<DefinitionStrategy>(); }

void SetDefinitionCondition(Json& definition, std::string_view type, std::string_view status, std::string_view reason,
                            std::string_view message, Time now) {
  Json& owner = definition.Make("status");
  if (!std::as_const(owner)["conditions"].is_list()) owner.Set("conditions", Json::MakeList());
  Json& conditions = owner.Make("conditions");
  const auto found =
      std::ranges::find_if(conditions.mutable_items(), [&](const Json& each) { return each["type"].text() == type; });
  Json condition{{"type", Json::String(type)},
                 {"status", Json::String(status)},
                 {"lastTransitionTime", Json::String(FormatTime(now))},
                 {"reason", Json::String(reason)},
                 {"message", Json::String(message)}};
  if (found == conditions.mutable_items().end()) {
    conditions.Append(std::move(condition));
    return;
  }
  if (std::as_const(*found)["status"].text() == status) {
    condition.Set("lastTransitionTime", Json(std::as_const(*found)["lastTransitionTime"]));
  }
  *found = std::move(condition);
}

bool IsDefinitionCondition(const Json& definition, std::string_view type, std::string_view status) {
  return std::ranges::any_of(definition["status"]["conditions"].items(), [&](const Json& each) {
    return each["type"].text() == type && each["status"].text() == status;
  });
}

}  // namespace berth::server
