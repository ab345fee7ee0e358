// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/namespaces/namespace_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "server/controllers/owned_pods.h"

namespace berth::server {
namespace {

constexpr std::string_view kFinalizerToken = "kubernetes";

}  // namespace

ObjectPtr NamespaceController::FindEnding(std::string_view name) const {
  const ObjectPtr found = cluster_.store().Find(namespaces_, "", name);
  return found != nullptr && found->Field("status.phase") == "Terminating" ? found : nullptr;
}

void NamespaceController::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() == &namespaces_) {
    if (object.Field("status.phase") == "Terminating") enqueue(object.key(), Duration{});
  } else if (change.type == Change::Type::kDeleted && !object.ns().empty() && FindEnding(object.ns()) != nullptr) {
    enqueue(std::string(object.ns()), Duration{});
  }
}

std::optional<Duration> NamespaceController::Sync(const std::string& key) {
  const ObjectPtr space = FindEnding(key);
  if (space == nullptr) return std::nullopt;
  RemainingContent content;
  size_t left = kBatch;
  bool is_all_asked = Empty(pods_, *space, left, content);
  if (content.empty()) {
    for (const auto& resource : cluster_.objects.catalog().all()) {
      if (!resource->namespaced || resource->stored != resource.get() || resource.get() == &pods_) continue;
      is_all_asked = Empty(*resource, *space, left, content) && is_all_asked;
    }
  }
  if (!is_all_asked) return Duration{};
  const bool is_told =
      WriteStatus(cluster_, *space, [&](Json& status) { content.Report(status, cluster_.objects.now()); });
  if (!is_told || content.has_failed() || !content.empty()) return kRetry;
  return Finalize(*space) ? std::nullopt : std::optional(kRetry);
}

bool NamespaceController::Empty(const Resource& resource, const StoredObject& space, size_t& left,
                                RemainingContent& content) {
  const std::string prefix = std::string(space.name()) + "/";
  const auto all = [&] {
    std::vector<ObjectPtr> found;
    const Store::Objects& objects = cluster_.store().All(resource);
    for (auto at = objects.lower_bound(prefix); at != objects.end() && at->first.starts_with(prefix); ++at) {
      found.push_back(at->second);
    }
    return found;
  };
  for (const ObjectPtr& object : all()) {
    // What is marked goes by itself.
    if (object->is_being_deleted()) continue;
    if (left == 0) return false;
    --left;
    const auto deleted = cluster_.objects.Delete(resource, object->ns(), object->name(),
                                                 {.propagation = DeleteOptions::Propagation::kBackground});
    if (deleted || deleted.error().code == 404) continue;
    content.AddFailure(deleted.error().message);
    break;
  }
  const std::vector<ObjectPtr> remaining = all();
  if (remaining.empty()) return true;
  if (&resource == &pods_) {
    content.AddPods();
  } else {
    content.Add(resource, remaining);
  }
  if (IsOverdue(resource, space, remaining)) {
    content.AddFailure(fmt::format("unexpected items still remain in namespace: {} for gvr: {}/{}, Resource={}",
                                   space.name(), resource.group, resource.version, resource.plural));
  }
  return true;
}

bool NamespaceController::IsOverdue(const Resource& resource, const StoredObject& space,
                                    const std::vector<ObjectPtr>& remaining) const {
  const Result<Time> deleted = ParseTime((*space.tree())["metadata"]["deletionTimestamp"].text());
  const Duration passed = deleted ? cluster_.objects.now() - *deleted : Duration{};
  return std::ranges::none_of(remaining, [&](const ObjectPtr& object) {
    const TreePtr tree = object->tree();
    if (!(*tree)["metadata"]["finalizers"].empty()) return true;
    const PodInfo* pod = &resource == &pods_ ? cluster_.pods.Find(object->key()) : nullptr;
    if (pod == nullptr || pod->has_ended()) return false;
    return passed < Seconds((*tree)["spec"]["terminationGracePeriodSeconds"].IntOr(0));
  });
}

bool NamespaceController::Finalize(const StoredObject& space) {
  const auto finalized = cluster_.objects.Update(
      namespaces_, "", space.name(), {.subresource = "finalize"}, [](const Json& current) -> Outcome<Json> {
        Json changed = current;
        Json& spec = changed.Make("spec");
        Json::List others = spec["finalizers"].items();
        std::erase_if(others, [](const Json& each) { return each.text() == kFinalizerToken; });
        spec.Erase("finalizers");
        if (!others.empty()) spec.Set("finalizers", Json::MakeList(std::move(others)));
        return changed;
      });
  return Succeeded(*this, finalized);
}

}  // namespace berth::server
