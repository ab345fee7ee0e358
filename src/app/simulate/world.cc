// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "app/simulate/defaults.h"
#include "app/simulate/expand.h"
#include "app/simulate/loader.h"

namespace berth::simulate {
namespace {

constexpr size_t kErrorsShown = 20;

std::unexpected<Error> InvalidInput(std::vector<std::string> errors) {
  if (errors.size() > kErrorsShown) {
    const size_t more = errors.size() - kErrorsShown;
    errors.resize(kErrorsShown);
    errors.push_back(fmt::format("and {} more errors", more));
  }
  return Invalid(fmt::format("{}", fmt::join(errors, "\n")));
}

std::vector<std::string> DefaultPods(World& world) {
  std::vector<std::string> errors;
  const PodDefaults defaults(world.priority_classes);
  std::set<std::string> claims;
  for (const api::PersistentVolumeClaim& claim : world.claims) claims.insert(api::FullName(claim.meta));
  const std::optional<std::string> default_class = DefaultStorageClass(world.storage_classes);
  for (PodSource& source : world.pods) {
    for (api::PersistentVolumeClaim& claim : source.ephemeral_claims) {
      if (!claim.storage_class_name) claim.storage_class_name = default_class;
    }
    const Result<void> done = defaults.Apply(source.pod, world.names);
    if (!done) {
      errors.push_back(
          fmt::format("{}: Pod {}: {}", source.origin, api::FullName(source.pod.meta), done.error().message));
    }
    for (api::PersistentVolumeClaim& claim : EphemeralClaims(source)) {
      if (claims.insert(api::FullName(claim.meta)).second) world.claims.push_back(std::move(claim));
    }
  }
  return errors;
}

void MakeNamespaces(World& world) {
  std::set<std::string> missing{"default", "kube-system"};
  for (const PodSource& source : world.pods) missing.insert(source.pod.meta.ns);
  for (const api::Namespace& ns : world.namespaces) missing.erase(ns.meta.name);
  for (const std::string& name : missing) world.namespaces.emplace_back().meta.name = name;
  for (api::Namespace& ns : world.namespaces) DefaultNamespace(ns);
}

void NoteOddNodes(World& world) {
  std::set<std::string_view> names;
  for (const api::Node& node : world.nodes) {
    names.insert(node.meta.name);
    if (node.allocatable.Find("pods") == nullptr) {
      world.notes.push_back(fmt::format("node {} has no allocatable pods: nothing fits there", node.meta.name));
    }
  }
  for (const PodSource& source : world.pods) {
    if (source.pod.node_name.empty() || names.contains(source.pod.node_name)) continue;
    world.notes.push_back(fmt::format("pod {} is on node {}, which is not in the input", api::FullName(source.pod.meta),
                                      source.pod.node_name));
  }
}

void NoteSkipped(World& world) {
  if (world.skipped.empty()) return;
  size_t total = 0;
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : world.skipped) {
    total += count;
    kinds.push_back(fmt::format("{} {}", count, kind));
  }
  world.notes.push_back(fmt::format("skipped {} object{} of kinds that scheduling does not read: {}", total,
                                    total == 1 ? "" : "s", fmt::join(kinds, ", ")));
}

void NoteUnknown(World& world) {
  if (world.unknown.empty()) return;
  const size_t more = world.unknown.size() - 1;
  world.notes.push_back(fmt::format("left out what Kubernetes v1.37 does not know: {}{}", world.unknown.front(),
                                    more == 0 ? "" : fmt::format("; and {} more", more)));
}

}  // namespace

bool IsFinished(const api::Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }

Time LatestTime(const World& world) {
  Time latest;
  for (const PodSource& source : world.pods) {
    latest = std::max(
        {latest, source.pod.meta.creation_timestamp.value_or(Time{}), source.pod.status.start_time.value_or(Time{})});
  }
  return latest;
}

Result<World> BuildWorld(const Manifests& manifests, World base) {
  World world = std::move(base);
  Loader loader(world);
  for (const Manifest& manifest : manifests.all()) loader.Add(manifest);
  if (!loader.errors().empty()) return InvalidInput(loader.errors());
  loader.NamePods();
  NoteSkipped(world);
  NoteUnknown(world);
  BERTH_CHECK_OK(Expand(world));

  if (std::vector<std::string> errors = DefaultPods(world); !errors.empty()) return InvalidInput(std::move(errors));
  MakeNamespaces(world);
  for (api::StorageClass& storage_class : world.storage_classes) DefaultStorageClassFields(storage_class);
  const std::optional<std::string> default_class = DefaultStorageClass(world.storage_classes);
  for (api::PersistentVolumeClaim& claim : world.claims) DefaultClaim(default_class, world.names, claim);
  for (api::PersistentVolume& volume : world.volumes) DefaultVolume(world.names, volume);
  NoteOddNodes(world);
  return world;
}

}  // namespace berth::simulate
