// SPDX-License-Identifier: Apache-2.0
#include "server/definitions/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "server/custom/definition_kind.h"
#include "server/definitions/names.h"
#include "server/model/metadata.h"

namespace berth::server {

namespace {

// Whether its objects are being deleted.
bool IsDefinitionEnding(const Json& definition) {
  return std::ranges::any_of(definition["status"]["conditions"].items(), [](const Json& condition) {
    return condition["reason"].text() == "InstanceDeletionInProgress";
  });
}

}  // namespace

Definitions::Definitions(Catalog& catalog, Store& store, Objects& objects, runtime::Timers& timers)
    : store_(store),
      objects_(objects),
      timers_(timers),
      resource_(catalog.Get("apiextensions.k8s.io", "customresourcedefinitions")),
      kinds_(catalog, store) {
  store_.Listen([this](const ChangePtr& change) { OnChange(*change); });
}

void Definitions::Load() {
  kinds_.SetAll();
  for (const auto& [name, object] : store_.All(resource_)) {
    Note(name, *object->tree());
    if (object->is_being_deleted()) EmptySoon(name);
  }
}

void Definitions::OnChange(const Change& change) {
  const StoredObject& object = *change.object;
  const bool is_gone = change.type == Change::Type::kDeleted;
  if (&object.resource() != &resource_) {
    if (!is_gone || object.resource().custom == nullptr) return;
    const std::string_view owner = kinds_.DefinitionOf(object.resource());
    const ObjectPtr definition = store_.Find(resource_, "", owner);
    if (definition != nullptr && definition->is_being_deleted()) EmptySoon(std::string(owner));
    return;
  }
  const std::string name(object.name());
  const TreePtr tree = object.tree();
  if (is_gone) {
    taken_.erase(name);
    kinds_.Remove(name);
    Reconsider((*tree)["spec"]["group"].text());
  } else {
    Note(name, *tree);
    Accept(name);
    if (object.is_being_deleted()) EmptySoon(name);
  }
}

void Definitions::Note(const std::string& name, const Json& definition) {
  taken_[name] = {.group = definition["spec"]["group"].text(), .names = definition["status"]["acceptedNames"]};
}

void Definitions::Accept(const std::string& name) {
  const ObjectPtr object = store_.Find(resource_, "", name);
  if (object == nullptr) return;
  const TreePtr tree = object->tree();
  const Json& definition = *tree;
  if (definition["spec"]["names"] != definition["status"]["acceptedNames"] ||
      !IsDefinitionCondition(definition, "NamesAccepted", "True")) {
    const AcceptedNames accepted = AcceptNames(definition, taken_);
    Json changed = definition;
    SetAcceptedNames(changed, accepted, timers_.WallNow());
    if (changed != definition) {
      Write(name, [&](Json& written) { written = changed; });
      return;  // Its change comes here again.
    }
  }
  const bool is_accepted = IsDefinitionCondition(definition, "NamesAccepted", "True");
  const bool was_established = IsDefinitionCondition(definition, "Established", "True");
  kinds_.Set(definition, was_established || is_accepted);
  if (is_accepted && !was_established) {
    Write(name, [&](Json& written) {
      SetDefinitionCondition(written, "Established", "True", "InitialNamesAccepted",
                             "the initial names have been accepted", timers_.WallNow());
    });
  }
}

// A name may have become free.
void Definitions::Reconsider(const std::string& group) {
  std::vector<std::string> names;
  for (const auto& [name, object] : store_.All(resource_)) {
    const TreePtr tree = object->tree();
    if ((*tree)["spec"]["group"].text() == group && !IsDefinitionCondition(*tree, "NamesAccepted", "True")) {
      names.push_back(name);
    }
  }
  for (const std::string& name : names) Accept(name);
}

void Definitions::Write(const std::string& name, const std::function<void(Json& definition)>& edit) {
  const ObjectPtr present = store_.Find(resource_, "", name);
  if (present == nullptr) return;
  Json changed = present->Tree();
  edit(changed);
  objects_.Overwrite(*present, std::move(changed), false);
}

void Definitions::EmptySoon(std::string name) {
  if (!emptying_.insert(name).second) return;
  timers_.After(Duration{}, [this, name = std::move(name)] {
    emptying_.erase(name);
    Empty(name);
  });
}

void Definitions::Empty(const std::string& name) {
  const ObjectPtr definition = store_.Find(resource_, "", name);
  if (definition == nullptr || !definition->is_being_deleted()) return;
  const TreePtr tree = definition->tree();
  if (!HasFinalizer((*tree)["metadata"], kCleanupFinalizer)) return;
  const Resource* const stored = kinds_.FindStored(name);
  if (!IsDefinitionEnding(*tree)) {
    Write(name, [&](Json& written) {
      SetDefinitionCondition(written, "Terminating", "True", "InstanceDeletionInProgress",
                             "CustomResource deletion is in progress", timers_.WallNow());
    });
  }
  if (stored != nullptr) {
    std::vector<ObjectPtr> batch;
    for (const auto& [key, object] : store_.All(*stored)) {
      if (batch.size() == kBatch) break;
      if (!object->is_being_deleted()) batch.push_back(object);  // What is marked goes by itself.
    }
    for (const ObjectPtr& object : batch) {
      static_cast<void>(objects_.Delete(*stored, object->ns(), object->name(), {.is_admitted = true}));
    }
    if (!batch.empty()) return EmptySoon(name);
    if (store_.Count(*stored) > 0) return;  // The last that goes brings us here again.
  }
  const auto updated = objects_.Update(resource_, "", name, {}, [&](const Json& current) -> Outcome<Json> {
    Json changed = current;
    RemoveFinalizer(changed.Make("metadata"), kCleanupFinalizer);
    return changed;
  });
  static_cast<void>(updated);
}

}  // namespace berth::server
