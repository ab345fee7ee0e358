// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/affected_sets.h"

#include "server/controllers/owned_pods.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

// Whether sets that select the object may have to take it over now.
bool MayBeTakenOver(const Change& change) {
  if (change.type == Change::Type::kDeleted || change.object->is_being_deleted()) return false;
  if (!ControllerAmong(change.object->owners()).is_null()) return false;
  return change.before == nullptr || change.before->labels() != change.object->labels() ||
         change.before->owners() != change.object->owners();
}

}  // namespace

void AffectedSets::OnChange(const Change& change, Duration settle, const Controller::Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &sets_) {
    Learn(change);
    if (change.type != Change::Type::kDeleted) enqueue(object.key(), Duration{});
  }
  if (&object.resource() != &dependents_) return;
  EnqueueController(object.owners(), object.ns(), settle, enqueue);
  if (change.before != nullptr && change.before->owners() != object.owners()) {
    EnqueueController(change.before->owners(), object.ns(), settle, enqueue);
  }
  if (!MayBeTakenOver(change)) return;
  const std::string prefix = ObjectKey(object.ns(), "");
  for (auto at = selectors_.lower_bound(prefix); at != selectors_.end() && at->first.starts_with(prefix); ++at) {
    if (at->second.Matches(object.labels())) enqueue(at->first, settle);
  }
}

void AffectedSets::Learn(const Change& change) {
  const std::string& key = change.object->key();
  if (change.type == Change::Type::kDeleted) {
    selectors_.erase(key);
    return;
  }
  const TreePtr tree = change.object->tree();
  const Json& given = (*tree)["spec"]["selector"];
  // That of a ReplicationController is a map of labels.
  auto selector = api::Selector::Compile(ReadLabelSelector(sets_.group.empty() ? Json{{"matchLabels", given}} : given));
  if (selector && (!selector->empty() || empty_ == EmptySelector::kEverything)) {
    selectors_.insert_or_assign(key, std::move(*selector));
  } else {
    selectors_.erase(key);
  }
}

const api::Selector* AffectedSets::SelectorOf(std::string_view key) const {
  const auto found = selectors_.find(key);
  return found == selectors_.end() ? nullptr : &found->second;
}

void AffectedSets::EnqueueController(const Json& owners, std::string_view ns, Duration settle,
                                     const Controller::Enqueue& enqueue) const {
  const Json& owner = ControllerAmong(owners);
  if (owner["kind"].text() == sets_.kind) enqueue(ObjectKey(ns, owner["name"].text()), settle);
}

}  // namespace berth::server
