// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_devices.h"

#include <set>

#include "server/controllers/owned_pods.h"

namespace berth::server {

void SimulatedDevices::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  const bool is_deletion = change.type == Change::Type::kDeleted;
  if (&object.resource() == &nodes_) {
    const bool is_same = change.before != nullptr && change.before->labels() == object.labels();
    if (!is_deletion && !is_same) enqueue(object.key(), {});
  } else if (&object.resource() == &slices_ && is_deletion) {
    const TreePtr slice = object.tree();
    const Json& owner = ControllerOf(*slice);
    if (owner["kind"].text() == nodes_.kind) enqueue(owner["name"].text(), {});
  }
}

std::optional<Duration> SimulatedDevices::Sync(const std::string& key) {
  const ObjectPtr node = cluster_.store().Find(nodes_, "", key);
  if (node == nullptr || node->is_being_deleted()) return std::nullopt;
  bool is_done = true;
  std::set<std::string> wanted;
  for (Json& slice : templates_.SlicesOf(node->name(), node->labels())) {
    wanted.insert(slice["metadata"]["name"].text());
    is_done = Publish(*node, std::move(slice)) && is_done;
  }
  // What labels that the node has lost had brought.
  for (const std::string& name : templates_.SliceNames(node->name())) {
    if (!wanted.contains(name)) is_done = Withdraw(*node, name) && is_done;
  }
  return is_done ? std::nullopt : std::optional(kRetry);
}

bool SimulatedDevices::Publish(const StoredObject& node, Json slice) {
  if (cluster_.store().Find(slices_, "", slice["metadata"]["name"].text()) != nullptr) return true;
  Json owner = ControllerReference(node);
  owner.Erase("blockOwnerDeletion");
  slice.Make("metadata").Set("ownerReferences", Json::MakeList({std::move(owner)}));
  const std::string driver = slice["spec"]["driver"].text();
  return Succeeded(*this, cluster_.objects.Create(slices_, "", std::move(slice), {.manager = driver}));
}

bool SimulatedDevices::Withdraw(const StoredObject& node, const std::string& slice) {
  const ObjectPtr found = cluster_.store().Find(slices_, "", slice);
  if (found == nullptr || ControllerOf(*found->tree())["uid"].text() != node.uid()) return true;
  return Succeeded(*this, cluster_.objects.Delete(slices_, "", slice, {.uid = found->uid()}));
}

}  // namespace berth::server
