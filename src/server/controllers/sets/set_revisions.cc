// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/set_revisions.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "server/controllers/owned_pods.h"
#include "server/model/strategy.h"

namespace berth::server {
namespace {

// So long a part of the set's name is in that of a revision.
constexpr size_t kPrefixMax = 223;
// How many names are tried in one look.
constexpr int kTriesMax = 20;

// What turns a set into what it was: a strategic merge patch.
Json DataOf(const Json& pod_template) {
  Json replaced = pod_template;
  replaced.Set("$patch", "replace");
  return Json{{"spec", Json{{"template", std::move(replaced)}}}};
}

// FNV-1 of the patch, as upstream.
std::string HashOf(const Json& data, int64_t collisions) {
  uint32_t hash = 2166136261;
  for (const char c : data.ToText() + std::to_string(collisions)) hash = (hash * 16777619) ^ static_cast<uint8_t>(c);
  return HashText(hash);
}

}  // namespace

SetRevisions::SetRevisions(const Controller& controller, const Cluster& cluster, const StoredObject& set,
                           const Json& tree, std::string_view hash_label)
    : controller_(controller),
      cluster_(cluster),
      set_(set),
      tree_(tree),
      hash_label_(hash_label),
      resource_(cluster.Get("apps", "controllerrevisions")),
      collisions_(tree["status"]["collisionCount"].IntOr(0)) {}

bool SetRevisions::Load(const api::Selector& selector) {
  std::vector<ObjectPtr> own;
  std::vector<ObjectPtr> orphans;
  const std::string prefix = ObjectKey(set_.ns(), "");
  const Store::Objects& all = cluster_.store().All(resource_);
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    const Json& owner = ControllerAmong(at->second->owners());
    if (owner["uid"].text() == set_.uid()) own.push_back(at->second);
    if (owner.is_null() && !at->second->is_being_deleted() && selector.Matches(at->second->labels())) {
      orphans.push_back(at->second);
    }
  }
  for (const ObjectPtr& orphan : orphans) {
    if (!TakeOver(controller_, cluster_, set_, *orphan)) return false;
    own.push_back(orphan);
  }
  revisions_.clear();
  for (const ObjectPtr& object : own) {
    const TreePtr tree = object->tree();
    Json pod_template = (*tree)["data"]["spec"]["template"];
    if (pod_template.is_map()) pod_template.Erase("$patch");
    revisions_.push_back({.object = object,
                          .hash = std::string(object->labels().Get(hash_label_)),
                          .number = (*tree)["revision"].IntOr(0),
                          .pod_template = std::move(pod_template)});
  }
  std::ranges::sort(revisions_, {}, [](const SetRevision& each) { return std::make_tuple(each.number, each.name()); });
  return true;
}

// One that was written by another version of the API may lack what is default by now.
bool SetRevisions::IsPresent(const SetRevision& revision) const {
  const Json& wanted = tree_["spec"]["template"];
  if (revision.pod_template == wanted) return true;
  Json other = tree_;
  other.Make("spec").Set("template", revision.pod_template);
  if (!set_.resource().schema().Canonicalize(other)) return false;
  set_.resource().strategy->Default(other, false);
  return other["spec"]["template"] == wanted;
}

bool SetRevisions::Update(const api::Selector& selector) {
  if (!Load(selector)) return false;
  const int64_t next = revisions_.empty() ? 1 : revisions_.back().number + 1;
  const auto equal = std::ranges::find_if(revisions_.rbegin(), revisions_.rend(),
                                          [&](const SetRevision& each) { return IsPresent(each); });
  if (equal == revisions_.rend()) return Create(next);
  if (equal == revisions_.rbegin()) return true;
  return Raise(static_cast<size_t>(revisions_.rend() - equal) - 1, next);
}

bool SetRevisions::Raise(size_t index, int64_t number) {
  const Outcome<void> written = EditObject(cluster_, *revisions_[index].object,
                                           [&](Json& changed) { changed.Set("revision", Json::Int(number)); });
  if (!written) {
    (void)Succeeded(controller_, written);
    return false;
  }
  revisions_[index].number = number;
  const auto at = revisions_.begin() + static_cast<std::ptrdiff_t>(index);
  std::rotate(at, at + 1, revisions_.end());
  return true;
}

bool SetRevisions::Create(int64_t number) {
  const Json& pod_template = tree_["spec"]["template"];
  const Json data = DataOf(pod_template);
  Json revision{{"apiVersion", Json::String("apps/v1")}, {"kind", Json::String("ControllerRevision")}};
  Json& metadata = revision.Make("metadata");
  metadata.Set("namespace", set_.ns());
  metadata.Set("ownerReferences", Json::MakeList({ControllerReference(set_)}));
  metadata.Set("labels", pod_template["metadata"]["labels"]);
  if (!tree_["metadata"]["annotations"].empty()) metadata.Set("annotations", tree_["metadata"]["annotations"]);
  revision.Set("data", data);
  revision.Set("revision", Json::Int(number));
  for (int tries = 0; tries < kTriesMax; ++tries) {
    const std::string hash = HashOf(data, collisions_);
    const std::string name = std::string(set_.name().substr(0, kPrefixMax)) + "-" + hash;
    revision.Make("metadata").Set("name", name);
    revision.Make({"metadata", "labels"}).Set(hash_label_, hash);
    const auto created =
        cluster_.objects.Create(resource_, set_.ns(), revision, {.manager = std::string(kControllerManager)});
    if (!created && created.error().reason != "AlreadyExists") {
      (void)Succeeded(controller_, created);
      return false;
    }
    // That of a set of this name which was deleted just now may still be there.
    const ObjectPtr present = cluster_.store().Find(resource_, set_.ns(), name);
    if (present != nullptr && (created || (*present->tree())["data"] == data)) {
      revisions_.push_back({.object = present, .hash = hash, .number = number, .pod_template = pod_template});
      return true;
    }
    ++collisions_;
  }
  return false;
}

const SetRevision* SetRevisions::Find(std::string_view name) const {
  const auto found = std::ranges::find(revisions_, name, [](const SetRevision& each) { return each.name(); });
  return found == revisions_.end() ? nullptr : &*found;
}

bool SetRevisions::Prune(const std::function<bool(const SetRevision& revision)>& is_used) {
  std::vector<ObjectPtr> unused;
  for (const SetRevision& revision : revisions_) {
    if (!is_used(revision)) unused.push_back(revision.object);
  }
  const int64_t limit = tree_["spec"]["revisionHistoryLimit"].IntOr(10);
  if (limit < 0 || static_cast<int64_t>(unused.size()) <= limit) return true;
  unused.resize(unused.size() - static_cast<size_t>(limit));
  return std::ranges::all_of(unused, [&](const ObjectPtr& revision) {
    return Succeeded(controller_, cluster_.objects.Delete(resource_, revision->ns(), revision->name(), {}));
  });
}

}  // namespace berth::server
