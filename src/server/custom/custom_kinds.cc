// SPDX-License-Identifier: Apache-2.0
#include "server/custom/custom_kinds.h"

#include <algorithm>
#include <utility>

#include "server/custom/definition_kind.h"

namespace berth::server {
namespace {

const std::vector<std::string_view> kCustomVerbs = {"delete", "deletecollection", "get",    "list",
                                                    "patch",  "create",           "update", "watch"};
const std::vector<std::string_view> kPartVerbs = {"get", "patch", "update"};

std::vector<std::string> TextsOf(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& item : list.items()) texts.push_back(item.text());
  return texts;
}

// What is the same in all versions.
Json Bare(const Json& object, const Resource& resource) {
  return Json{{"apiVersion", Json::String(resource.api_version)},
              {"kind", Json::String(resource.kind)},
              {"metadata", object["metadata"]}};
}

std::vector<std::string_view> ViewsOf(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

}  // namespace

bool CustomKinds::IsBuiltIn(const Json& definition) const {
  const Json& spec = definition["spec"];
  return std::ranges::any_of(catalog_.all(), [&](const auto& resource) {
    return resource->custom == nullptr && resource->wire != nullptr && resource->group == spec["group"].text() &&
           resource->plural == spec["names"]["plural"].text();
  });
}

void CustomKinds::Set(const Json& definition, bool is_served) {
  // An import may bring what would not have been created.
  if (IsBuiltIn(definition) || definition["spec"]["versions"].empty()) return;
  Definition& entry = definitions_[definition["metadata"]["name"].text()];
  Json state{{"spec", definition["spec"]},
             {"names", definition["status"]["acceptedNames"]},
             {"served", Json::Bool(is_served)},
             {"ending", Json::Bool(IsDefinitionCondition(definition, "Terminating", "True"))}};
  if (entry.spec == state) return;
  entry.spec = std::move(state);
  const Json::List& versions = definition["spec"]["versions"].items();
  for (auto& [name, version] : entry.versions) {
    const bool is_there = std::ranges::any_of(versions, [&](const Json& each) { return each["name"].text() == name; });
    if (!is_there) Retire(version);
  }
  for (const Json& version : versions) SetVersion(entry, definition, version, is_served);
  Settle(entry);
}

void CustomKinds::SetVersion(Definition& definition, const Json& object, const Json& version, bool is_served) {
  const Json& spec = object["spec"];
  Version& entry = definition.versions[version["name"].text()];
  const bool is_new = entry.resource == nullptr;
  auto made = is_new ? std::make_unique<Resource>() : nullptr;
  Resource& resource = is_new ? *made : *entry.resource;

  auto texts = std::make_unique<Texts>();
  texts->group = spec["group"].text();
  texts->version = version["name"].text();
  texts->plural = spec["names"]["plural"].text();
  texts->kind = spec["names"]["kind"].text();
  texts->list_kind = spec["names"]["listKind"].text();
  texts->api_version = texts->group + "/" + texts->version;
  const Json& accepted = object["status"]["acceptedNames"];
  texts->short_names = TextsOf(accepted["shortNames"]);
  texts->categories = TextsOf(accepted["categories"]);
  auto kind = std::make_unique<CustomKind>(object, version);

  resource.group = texts->group;
  resource.version = texts->version;
  resource.plural = texts->plural;
  resource.singular = spec["names"]["singular"].text();
  resource.kind = texts->kind;
  resource.list_kind = texts->list_kind;
  resource.api_version = texts->api_version;
  resource.namespaced = spec["scope"].text() == "Namespaced";
  resource.verbs = kCustomVerbs;
  resource.short_names = ViewsOf(texts->short_names);
  resource.categories = ViewsOf(texts->categories);
  resource.subresources.clear();
  if (kind->has_status()) {
    resource.subresources.push_back(
        {.name = "status", .group = {}, .version = {}, .kind = resource.kind, .verbs = kPartVerbs});
  }
  if (kind->scale() != nullptr) {
    resource.subresources.push_back(
        {.name = "scale", .group = "autoscaling", .version = "v1", .kind = "Scale", .verbs = kPartVerbs});
  }
  resource.custom = kind.get();
  resource.strategy = kind.get();
  resource.is_served = is_served && version["served"].AsBool();
  entry.texts = std::move(texts);
  entry.kind = std::move(kind);
  if (is_new) {
    entry.resource = made.get();
    catalog_.Add(std::move(made));
  }
}

// Its schema stays: objects of the table may still be in its form.
void CustomKinds::Retire(Version& version) {
  if (version.resource != nullptr) version.resource->is_served = false;
}

void CustomKinds::Settle(Definition& definition) {
  if (definition.stored == nullptr) {
    // Objects of a data directory may be there already; whoever kept them first keeps them.
    definition.stored = definition.versions.begin()->second.resource;
    for (auto& [name, version] : definition.versions) {
      const bool is_storage = std::ranges::any_of(definition.spec["spec"]["versions"].items(), [&](const Json& each) {
        return each["name"].text() == name && each["storage"].AsBool();
      });
      if (is_storage) definition.stored = version.resource;
    }
  }
  Resource& stored = *definition.stored;
  const Json& conversion = definition.spec["spec"]["conversion"];
  const bool asks = conversion["strategy"].text() == "Webhook";
  for (auto& [name, version] : definition.versions) {
    Resource& resource = *version.resource;
    resource.stored = &stored;
    resource.conversion = asks ? conversion["webhook"] : Json();
    if (&resource == &stored) continue;
    if (asks) {
      resource.to_stored = [&stored](const Json& object) { return Bare(object, stored); };
      resource.from_stored = [&resource](const Json& object) { return Bare(object, resource); };
      continue;
    }
    // Each version has what its schema has.
    resource.to_stored = [&stored](Json object) {
      object.Set("apiVersion", stored.api_version);
      static_cast<void>(stored.custom->Canonicalize(object, nullptr));
      return object;
    };
    resource.from_stored = [&resource](Json object) {
      object.Set("apiVersion", resource.api_version);
      static_cast<void>(resource.custom->Canonicalize(object, nullptr));
      resource.strategy->Default(object, false);
      return object;
    };
  }
  store_.Extend(catalog_);
  RereadObjects(stored);
  catalog_.Refresh();
}

void CustomKinds::RereadObjects(const Resource& stored) {
  store_.Replace(stored, [&](const StoredObject& object) -> ObjectPtr {
    Json tree = object.Tree();
    stored.strategy->Default(tree, false);
    return std::make_shared<const StoredObject>(stored, tree, object.revision());
  });
}

void CustomKinds::SetAll() {
  const Resource& definitions = catalog_.Get("apiextensions.k8s.io", "customresourcedefinitions");
  for (const auto& [name, object] : store_.All(definitions)) {
    const TreePtr tree = object->tree();
    Set(*tree, IsDefinitionCondition(*tree, "Established", "True"));
  }
}

void CustomKinds::Remove(std::string_view name) {
  const auto found = definitions_.find(name);
  if (found == definitions_.end()) return;
  found->second.spec = Json();
  for (auto& [version_name, version] : found->second.versions) Retire(version);
  catalog_.Refresh();
}

const Resource* CustomKinds::FindStored(std::string_view name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : found->second.stored;
}

std::string_view CustomKinds::DefinitionOf(const Resource& resource) const {
  if (resource.custom == nullptr) return {};
  const auto found = definitions_.find(resource.Qualified());
  return found == definitions_.end() ? std::string_view() : std::string_view(found->first);
}

}  // namespace berth::server
