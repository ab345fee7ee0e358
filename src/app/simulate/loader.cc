// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/decode/decode_parts.h"
#include "app/command_line/with_file.h"
#include "app/simulate/defaults.h"

namespace berth::simulate {
namespace {

std::string_view FileOf(std::string_view origin) {
  const size_t colon = origin.rfind(':');
  const bool has_line = colon != origin.npos && origin.find_first_not_of("0123456789", colon + 1) == origin.npos;
  return has_line ? origin.substr(0, colon) : origin;
}

std::string GenerateName(api::Value value) {
  std::string prefix(value["metadata"]["generateName"].text());
  if (prefix.ends_with('-')) prefix.pop_back();
  return prefix;
}

// How errors call an object. A name may be of any length, and what is wrong with it has to fit on the line.
std::string Describe(std::string_view kind, const api::ObjectMeta& meta) {
  constexpr size_t kNameMax = 300;
  std::string name = api::FullName(meta);
  if (name.size() > kNameMax) name = name.substr(0, kNameMax) + "...";
  return fmt::format("{} {}", kind, name);
}

}  // namespace

bool IsClusterScoped(std::string_view kind) {
  return std::ranges::any_of(api::kKindRows,
                             [&](const api::KindRow& row) { return row.kind == kind && !row.is_namespaced; });
}

void Loader::Report(const Manifest& manifest, const Error& error) {
  const bool has_line = error.message.starts_with("line ");
  errors_.push_back(has_line ? app::WithFile(FileOf(manifest.origin), error.message)
                             : fmt::format("{}: {}", manifest.origin, error.message));
}

bool Loader::Admit(const Manifest& manifest, api::ObjectMeta& meta, const FieldErrors& errors) {
  const std::string& kind = manifest.object.kind;
  if (IsClusterScoped(kind)) {
    meta.ns.clear();
  } else if (meta.ns.empty()) {
    meta.ns = "default";
  }
  const std::string key = fmt::format("{} {}", kind, api::FullName(meta));
  for (const std::string& error : errors) {
    errors_.push_back(fmt::format("{}: {}: {}", manifest.origin, Describe(kind, meta), error));
  }
  if (!errors.empty()) return false;
  const auto [it, is_new] = origins_.try_emplace(key, manifest.origin);
  if (!is_new && !meta.name.empty()) {
    errors_.push_back(fmt::format("{}: {} is already in the input, at {}", manifest.origin, key, it->second));
    return false;
  }
  return true;
}

void Loader::AddPod(const Manifest& manifest) {
  const api::Value value = manifest.object.value;
  Result<PodSource> source = DecodePodSource(value, false);
  if (!source) return Report(manifest, source.error());
  source->origin = manifest.origin;
  const std::string prefix = source->pod.meta.name.empty() ? GenerateName(value) : "";
  FieldErrors errors;
  if (prefix.empty()) ValidateName(source->pod.meta, errors);
  ValidatePod(source->pod, "", errors);
  const std::string& uid = source->pod.meta.uid;
  if (!uid.empty() && !uids_.insert(uid).second) errors.push_back("metadata.uid: another pod in the input has it");
  if (!Admit(manifest, source->pod.meta, errors)) return;
  if (prefix.empty()) {
    world_.names.Take(source->pod.meta.ns, source->pod.meta.name);
  } else {
    unnamed_.emplace_back(world_.pods.size(), prefix);
  }
  world_.pods.push_back(*std::move(source));
}

void Loader::NamePods() {
  for (const auto& [index, prefix] : unnamed_) {
    api::ObjectMeta& meta = world_.pods[index].pod.meta;
    meta.name = world_.names.Next(meta.ns, prefix);
  }
  unnamed_.clear();
}

void Loader::AddWorkload(const Manifest& manifest) {
  Result<Workload> workload = DecodeWorkload(manifest.object);
  if (!workload) return Report(manifest, workload.error());
  workload->origin = manifest.origin;
  FieldErrors errors;
  ValidateWorkload(*workload, errors);
  if (!Admit(manifest, workload->meta, errors)) return;
  if (workload->meta.uid.empty()) workload->meta.uid = world_.names.Uid();
  if (workload->pod) workload->pod->origin = manifest.origin;
  // Those that the scheduler reads too are stored in its form as well.
  if (Result<api::Object> object = api::DecodeObject(manifest.object)) {
    std::visit([&](auto& known) { known.meta = workload->meta; }, *object);
    world_.others.push_back(*std::move(object));
  }
  world_.workloads.push_back(*std::move(workload));
}

void Loader::AddObject(const Manifest& manifest) {
  Result<api::Object> object = api::DecodeObject(manifest.object);
  if (!object && object.error().code == Code::kNotFound) {
    ++world_.skipped[manifest.object.kind];
    return;
  }
  if (!object) return Report(manifest, object.error());
  FieldErrors errors;
  ValidateObject(*object, errors);
  bool is_admitted = false;
  std::visit([&](auto& known) { is_admitted = Admit(manifest, known.meta, errors); }, *object);
  if (is_admitted) Store(manifest, *std::move(object));
}

void Loader::Store(const Manifest& manifest, api::Object object) {
  if (auto* node = std::get_if<api::Node>(&object)) {
    const Result<void> completed = DefaultNode(manifest.object.value, *node);
    if (!completed) return Report(manifest, completed.error());
    world_.nodes.push_back(std::move(*node));
  } else if (auto* claim = std::get_if<api::PersistentVolumeClaim>(&object)) {
    world_.claims.push_back(std::move(*claim));
  } else if (auto* volume = std::get_if<api::PersistentVolume>(&object)) {
    world_.volumes.push_back(std::move(*volume));
  } else if (auto* storage_class = std::get_if<api::StorageClass>(&object)) {
    world_.storage_classes.push_back(std::move(*storage_class));
  } else if (auto* priority_class = std::get_if<api::PriorityClass>(&object)) {
    world_.priority_classes.push_back(std::move(*priority_class));
  } else if (auto* ns = std::get_if<api::Namespace>(&object)) {
    world_.namespaces.push_back(std::move(*ns));
  } else {
    world_.others.push_back(std::move(object));
  }
}

void Loader::Add(const Manifest& manifest) {
  const std::vector<std::string>& problems = manifest.problems;
  if (!problems.empty() && !manifest.object.is_from_server) {
    errors_.insert(errors_.end(), problems.begin(), problems.end());
    return;
  }
  // A cluster of another version may well have fields that are not known here.
  world_.unknown.insert(world_.unknown.end(), problems.begin(), problems.end());
  const std::string& kind = manifest.object.kind;
  const std::string& api_version = manifest.object.api_version;
  if (kind == "Pod" && api_version == "v1") return AddPod(manifest);
  if (IsWorkload(kind, api_version)) return AddWorkload(manifest);
  AddObject(manifest);
}

}  // namespace berth::simulate
