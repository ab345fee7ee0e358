// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/namespace_controller.h"

#include <vector>

namespace berth::server {

bool NamespaceController::IsEnding(std::string_view name) const {
  const ObjectPtr found = cluster_.store().Find(namespaces_, "", name);
  return found != nullptr && found->Field("status.phase") == "Terminating";
}

void NamespaceController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &namespaces_) {
    if (object.Field("status.phase") == "Terminating") enqueue(object.key(), Duration{});
  } else if (change.type == Change::Type::kDeleted && !object.ns().empty() && IsEnding(object.ns())) {
    enqueue(std::string(object.ns()), Duration{});
  }
}

std::optional<Duration> NamespaceController::Sync(const std::string& key) {
  if (!IsEnding(key)) return std::nullopt;
  const std::string prefix = key + "/";
  std::vector<ObjectPtr> content;
  bool is_empty = true;
  for (const auto& resource : cluster_.objects.catalog().all()) {
    if (!resource->namespaced || resource->stored != resource.get()) continue;
    const Store::Objects& all = cluster_.store().All(*resource);
    for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
      is_empty = false;
      if (content.size() == kBatch) break;
      // What is marked goes by itself.
      if (!at->second->is_being_deleted()) content.push_back(at->second);
    }
  }
  bool is_done = true;
  for (const ObjectPtr& object : content) {
    is_done =
        Succeeded(*this, cluster_.objects.Delete(object->resource(), object->ns(), object->name(), {})) && is_done;
  }
  if (!is_done) return kRetry;
  if (!content.empty()) return Duration{};
  if (!is_empty) return kRetry;
  const auto finalized = cluster_.objects.Update(namespaces_, "", key, {.subresource = "finalize"},
                                                 [](const Json& current) -> Outcome<Json> {
                                                   Json changed = current;
                                                   changed.Make("spec").Erase("finalizers");
                                                   return changed;
                                                 });
  return finalized ? std::nullopt : std::optional(kRetry);
}

}  // namespace berth::server
