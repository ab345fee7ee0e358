// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/timeline/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "app/simulate/loader.h"
#include "app/simulate/timeline/merge_patch.h"
#include "base/similar_word.h"

namespace berth::simulate {
namespace {

std::string Key(std::string_view kind, std::string_view ns, std::string_view name) {
  return IsClusterScoped(kind) ? fmt::format("{} {}", kind, name)
                               : fmt::format("{} {}/{}", kind, ns.empty() ? "default" : ns, name);
}

// Empty for an object whose name will be generated.
std::string Key(const Manifest& manifest) {
  const api::Value meta = manifest.object.value["metadata"];
  const std::string_view name = meta["name"].text();
  return name.empty() ? std::string() : Key(manifest.object.kind, meta["namespace"].text(), name);
}

Result<Manifest> ManifestOf(api::Value value, const Fields& event) {
  std::string kind(value["kind"].text());
  if (kind.empty()) return event.Wrong("create", "must be a manifest or a list of manifests, each with its kind");
  api::ManifestObject object{
      .kind = std::move(kind), .api_version = std::string(value["apiVersion"].text()), .value = value};
  return Manifest{std::move(object), event.origin()};
}

// The part that is not in the base; the base keeps a copy.
template <class T>
std::vector<T> Tail(const std::vector<T>& all, size_t begin) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.end()};
}

template <class T>
void EraseNamed(std::vector<T>& objects, std::string_view name) {
  std::erase_if(objects, [&](const T& object) { return object.meta.name == name; });
}

}  // namespace

Compiler::Compiler(const std::string& path, const Manifests& cluster, const World& world) : path_(path) {
  base_.nodes = world.nodes;
  base_.namespaces = world.namespaces;
  base_.storage_classes = world.storage_classes;
  base_.priority_classes = world.priority_classes;
  base_.names = world.names;
  noted_.insert(world.notes.begin(), world.notes.end());
  for (const Manifest& manifest : cluster.all()) known_.emplace(Key(manifest), manifest);
}

Result<Manifests> Compiler::Read(const Fields& event) const {
  if (event.Has("file")) {
    const std::filesystem::path file = BERTH_TRY(event.RequireText("file"));
    std::istringstream nothing;
    return Manifests::Read({(std::filesystem::path(path_).parent_path() / file).string()}, nothing);
  }
  Manifests manifests;
  const api::Value create = event["create"];
  if (!create.is_list()) {
    manifests.Add(BERTH_TRY(ManifestOf(create, event)), path_);
    return manifests;
  }
  for (size_t i = 0; i < create.size(); ++i) manifests.Add(BERTH_TRY(ManifestOf(create[i], event)), path_);
  return manifests;
}

Result<World> Compiler::Build(const Manifests& manifests) {
  const size_t nodes = base_.nodes.size();
  const size_t namespaces = base_.namespaces.size();
  const size_t storage_classes = base_.storage_classes.size();
  const size_t priority_classes = base_.priority_classes.size();
  World built = BERTH_TRY(BuildWorld(manifests, std::move(base_)));
  for (std::string& note : built.notes) {
    if (noted_.insert(note).second) notes_.push_back(std::move(note));
  }
  World made;
  made.nodes = Tail(built.nodes, nodes);
  made.namespaces = Tail(built.namespaces, namespaces);
  made.storage_classes = Tail(built.storage_classes, storage_classes);
  made.priority_classes = Tail(built.priority_classes, priority_classes);
  made.pods = std::move(built.pods);
  made.claims = std::move(built.claims);
  made.volumes = std::move(built.volumes);
  made.others = std::move(built.others);
  base_ = World{};
  base_.nodes = std::move(built.nodes);
  base_.namespaces = std::move(built.namespaces);
  base_.storage_classes = std::move(built.storage_classes);
  base_.priority_classes = std::move(built.priority_classes);
  base_.names = std::move(built.names);
  return made;
}

Result<CreateObjects> Compiler::Create(const Fields& event) {
  const Manifests& manifests = manifests_.emplace_back(BERTH_TRY(Read(event)));
  for (const Manifest& manifest : manifests.all()) {
    const std::string key = Key(manifest);
    if (const auto it = known_.find(key); !key.empty() && it != known_.end()) {
      return event.Wrong("", fmt::format("{} exists already, see {}", key, it->second.origin));
    }
  }
  CreateObjects made;
  made.objects = BERTH_TRY(Build(manifests));
  for (const Manifest& manifest : manifests.all()) known_.insert_or_assign(Key(manifest), manifest);
  return made;
}

Result<DeleteObject> Compiler::ReadTarget(const Fields& target, std::string kind) const {
  DeleteObject read;
  read.kind = kind.empty() ? BERTH_TRY(target.RequireText("kind")) : std::move(kind);
  read.name = BERTH_TRY(target.RequireText("name"));
  read.ns = target["namespace"].text();
  if (IsClusterScoped(read.kind) && !read.ns.empty()) {
    return target.Wrong("namespace", fmt::format("a {} has none", read.kind));
  }
  if (!IsClusterScoped(read.kind) && read.ns.empty()) read.ns = "default";
  const auto it = known_.find(Key(read.kind, read.ns, read.name));
  // Pods may be there under names that were generated; the run will tell.
  if (it == known_.end() && read.kind != "Pod") {
    std::vector<std::string_view> kinds{"Pod"};
    for (const auto& [key, manifest] : known_) kinds.push_back(manifest.object.kind);
    const std::string meant = std::ranges::find(kinds, read.kind) == kinds.end() ? DidYouMean(read.kind, kinds) : "";
    return target.Wrong("", fmt::format("{} does not exist at this time{}", Key(read.kind, read.ns, read.name), meant));
  }
  if (it != known_.end() && IsWorkload(read.kind, it->second.object.api_version)) {
    return target.Wrong("kind", fmt::format("a {} cannot be changed, only the pods that it made", read.kind));
  }
  return read;
}

void Compiler::Forget(const DeleteObject& target) {
  known_.erase(Key(target.kind, target.ns, target.name));
  if (target.kind == "Node") EraseNamed(base_.nodes, target.name);
  if (target.kind == "Namespace") EraseNamed(base_.namespaces, target.name);
  if (target.kind == "StorageClass") EraseNamed(base_.storage_classes, target.name);
  if (target.kind == "PriorityClass") EraseNamed(base_.priority_classes, target.name);
}

Result<DeleteObject> Compiler::Delete(const Fields& target) {
  DeleteObject read = BERTH_TRY(ReadTarget(target));
  Forget(read);
  return read;
}

Result<World> Compiler::Patch(const DeleteObject& object, api::Value patch, const Fields& target) {
  const std::string key = Key(object.kind, object.ns, object.name);
  const auto it = known_.find(key);
  if (it == known_.end()) return target.Wrong("", fmt::format("{} is not written in the input at this time", key));
  const api::ManifestObject& old = it->second.object;
  Manifests written;
  written.Add(Manifest{{.kind = old.kind, .api_version = old.api_version, .value = patch}, target.origin()}, path_);
  const std::vector<std::string>& problems = written.all().front().problems;
  if (!problems.empty()) return Invalid(problems.front());
  Manifests& patched = manifests_.emplace_back();
  BERTH_CHECK_OK(patched.AddPatched(MergePatch(old.value, patch), target.origin()));
  if (patched.all().size() != 1 || Key(patched.all().front()) != key) {
    return target.Wrong("patch", "must not change the kind, the name or the namespace");
  }
  Forget(object);
  World made = BERTH_TRY(Build(patched));
  known_.emplace(key, patched.all().front());
  return made;
}

Result<ReplaceObject> Compiler::Patch(const Fields& target) {
  const DeleteObject object = BERTH_TRY(ReadTarget(target));
  if (object.kind == "PersistentVolume" || object.kind == "PersistentVolumeClaim") {
    return target.Wrong("kind", fmt::format("a {} cannot be patched", object.kind));
  }
  if (!target["patch"].is_map()) return target.Wrong("patch", "must be a map");
  if (target["patch"].size() == 0) return target.Wrong("patch", "changes nothing");
  return ReplaceObject{BERTH_TRY(Patch(object, target["patch"], target))};
}

Result<DrainNode> Compiler::Drain(const Fields& target) {
  const DeleteObject node = BERTH_TRY(ReadTarget(target, "Node"));
  const api::Document cordon = BERTH_TRY(api::ParseJson(R"({"spec":{"unschedulable":true}})"));
  return DrainNode{BERTH_TRY(Patch(node, cordon.root(), target)), node.name};
}

Result<PodSource> Compiler::Template(const Fields& arrivals, std::string& prefix) {
  const api::Value pod = arrivals["pod"];
  const api::Value meta = pod["metadata"];
  prefix = meta["generateName"].text();
  if (prefix.empty() || !meta["name"].is_null()) {
    return arrivals.Wrong("pod.metadata", "must have a generateName and no name");
  }
  if (prefix.ends_with('-')) prefix.pop_back();
  Manifests manifests;
  manifests.Add(Manifest{{.kind = "Pod", .api_version = "v1", .value = pod}, arrivals.origin()}, path_);
  World built = BERTH_TRY(Build(manifests));
  return std::move(built.pods.front());
}

}  // namespace berth::simulate
