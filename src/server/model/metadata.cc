// SPDX-License-Identifier: Apache-2.0
#include "server/model/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/document/field_error.h"
#include "api/parts/selector.h"
#include "api/typed/typed.h"
#include "base/ascii.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"
#include "server/model/path_segment.h"
#include "server/model/strategy.h"

namespace berth::server {
namespace {

constexpr FieldPath kMetadata("metadata");
constexpr size_t kAnnotationBytesMax = size_t{256} << 10;

void ValidateName(const Json& object, const Strategy& strategy, FieldErrors& errors) {
  const Json& metadata = object["metadata"];
  if (const std::string& prefix = metadata["generateName"].text(); !prefix.empty()) {
    Report(errors, kMetadata / "generateName", prefix, strategy.CheckName(object, prefix, true));
  }
  const std::string& name = metadata["name"].text();
  if (name.empty()) return errors.Required(kMetadata / "name", "name or generateName is required");
  Report(errors, kMetadata / "name", name, strategy.CheckName(object, name, false));
}

void ValidateNamespace(const Json& metadata, bool is_namespaced, FieldErrors& errors) {
  const std::string& ns = metadata["namespace"].text();
  const FieldPath path = kMetadata / "namespace";
  if (!is_namespaced) {
    if (!ns.empty()) errors.Forbidden(path, "not allowed on this type");
  } else if (ns.empty()) {
    errors.Required(path);
  } else {
    Report(errors, path, ns, CheckDnsLabel(ns));
  }
}

void CheckAnnotations(const Json& annotations, const FieldPath& path, FieldErrors& errors) {
  size_t bytes = 0;
  for (const auto& [key, value] : annotations.members()) {
    Report(errors, path, key, api::ValidateQualifiedName(Lower(key)));
    bytes += key.size() + value.text().size();
  }
  if (bytes > kAnnotationBytesMax) errors.TooLong(path, kAnnotationBytesMax);
}

// Invalid values of this message, written as upstream writes them.
std::string OwnerText(const Json& owner) {
  static const api::wire::Message& message =
      *api::wire::FindMessage("io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference");
  return EncodeJson(owner, message);
}

void ValidateOwner(const Json& owner, const FieldPath& path, FieldErrors& errors) {
  const std::string& version = owner["apiVersion"].text();
  if (version.empty()) {
    errors.Required(path / "apiVersion", "must not be empty");
  } else if (std::ranges::count(version, '/') > 1 || version.ends_with('/')) {
    errors.Invalid(path / "apiVersion", version, "must be <group>/<version> or <version>");
  }
  for (const char* name : {"kind", "name", "uid"}) {
    if (owner[name].text().empty()) errors.Required(path / name, "must not be empty");
  }
  if (version == "v1" && owner["kind"].text() == "Event") {
    errors.Add({"FieldValueInvalid",
                fmt::format("Invalid value: {}: /v1, Kind=Event is disallowed from being an owner", OwnerText(owner)),
                path});
  }
}

void ValidateOwners(const Json& owners, FieldErrors& errors) {
  const FieldPath path = kMetadata / "ownerReferences";
  std::string controller;
  for (size_t i = 0; i < owners.size(); ++i) {
    const Json& owner = owners[i];
    ValidateOwner(owner, path[i], errors);
    if (!owner["controller"].AsBool()) continue;
    std::string name = owner["kind"].text() + '/' + owner["name"].text();
    if (controller.empty()) {
      controller = std::move(name);
      continue;
    }
    std::vector<std::string> texts;
    for (const Json& each : owners.items()) texts.push_back(OwnerText(each));
    errors.Add({"FieldValueInvalid",
                fmt::format("Invalid value: [{}]: Only one reference can have Controller set to true. Found \"true\" "
                            "in references for {} and {}",
                            fmt::join(texts, ","), controller, name),
                path});
  }
}

bool Contains(const Json& texts, std::string_view text) {
  return std::ranges::any_of(texts.items(), [&](const Json& item) { return item.text() == text; });
}

void ValidateFinalizers(const Json& finalizers, bool is_strict, FieldErrors& errors) {
  const FieldPath path = kMetadata / "finalizers";
  for (const Json& finalizer : finalizers.items()) CheckQualifiedName(errors, path, finalizer.text());
  if (Contains(finalizers, kOrphanFinalizer) && Contains(finalizers, kForegroundFinalizer)) {
    errors.Invalid(path, finalizers,
                   fmt::format("finalizer {} and {} cannot be both set", kOrphanFinalizer, kForegroundFinalizer));
  }
  if (!is_strict) return;
  for (size_t i = 0; i < finalizers.size(); ++i) {
    const std::string& name = finalizers[i].text();
    if (name.find('/') == name.npos && name != "kubernetes" && name != kOrphanFinalizer &&
        name != kForegroundFinalizer) {
      errors.Invalid(path[i], name, "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
}

void ValidateNoNewFinalizers(const Json& finalizers, const Json& old, FieldErrors& errors) {
  std::set<std::string> added;
  for (const Json& finalizer : finalizers.items()) {
    if (!Contains(old, finalizer.text())) added.insert(api::GoQuote(finalizer.text()));
  }
  if (added.empty()) return;
  errors.Forbidden(kMetadata / "finalizers",
                   fmt::format("no new finalizers can be added if the object is being deleted, found new finalizers "
                               "[]string{{{}}}",
                               fmt::join(added, ", ")));
}

}  // namespace

bool HasFinalizer(const Json& metadata, std::string_view finalizer) {
  return std::ranges::any_of(metadata["finalizers"].items(),
                             [&](const Json& present) { return present.text() == finalizer; });
}

void AddFinalizer(Json& metadata, std::string_view finalizer) {
  if (!HasFinalizer(metadata, finalizer)) metadata.Make("finalizers").Append(Json::String(finalizer));
}

void RemoveFinalizer(Json& metadata, std::string_view finalizer) {
  Json* finalizers = metadata.Find("finalizers");
  if (finalizers == nullptr || !finalizers->is_list()) return;
  std::erase_if(finalizers->mutable_items(), [&](const Json& present) { return present.text() == finalizer; });
  if (finalizers->empty()) metadata.Erase("finalizers");
}

void RemoveOwners(Json& metadata, const std::vector<std::string>& uids) {
  Json* owners = metadata.Find("ownerReferences");
  if (owners == nullptr || !owners->is_list()) return;
  std::erase_if(owners->mutable_items(),
                [&](const Json& owner) { return std::ranges::find(uids, owner["uid"].text()) != uids.end(); });
  if (owners->empty()) metadata.Erase("ownerReferences");
}

void ResetMetadata(Json& object, const Json& old) {
  for (const std::string_view name : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    const Json* const before = old["metadata"].Find(name);
    if (before == nullptr) {
      object.Make("metadata").Erase(name);
    } else {
      object.Make("metadata").Set(name, *before);
    }
  }
}

void ValidateIdentity(const Json& object, const Resource& resource, FieldErrors& errors) {
  ValidateName(object, *resource.strategy, errors);
  ValidateNamespace(object["metadata"], resource.namespaced, errors);
}

void ValidateMetadata(const Json& object, const Resource& resource, FieldErrors& errors) {
  const Json& metadata = object["metadata"];
  ValidateIdentity(object, resource, errors);
  ValidateLabels(metadata["labels"], kMetadata / "labels", errors);
  CheckAnnotations(metadata["annotations"], kMetadata / "annotations", errors);
  ValidateOwners(metadata["ownerReferences"], errors);
  // Kinds that take any finalizer.
  const bool takes_any =
      resource.custom != nullptr || resource.group == "coordination.k8s.io" || resource.group == "apiextensions.k8s.io";
  ValidateFinalizers(metadata["finalizers"], !takes_any, errors);
}

void ValidateMetadataUpdate(const Json& metadata, const Json& old, FieldErrors& errors) {
  if (old.Has("deletionTimestamp")) ValidateNoNewFinalizers(metadata["finalizers"], old["finalizers"], errors);
  for (const char* name : {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    CheckImmutable(errors, kMetadata / name, metadata[name], old[name]);
  }
}

void ValidateEmbeddedMetadata(const Json& metadata, FieldErrors& errors) {
  if (const std::string& name = metadata["name"].text(); !name.empty()) {
    Report(errors, kMetadata / "name", name, CheckPathSegment(name));
  }
  if (const std::string& ns = metadata["namespace"].text(); !ns.empty()) {
    Report(errors, kMetadata / "namespace", ns, CheckDnsLabel(ns));
  }
  ValidateLabels(metadata["labels"], kMetadata / "labels", errors);
  CheckAnnotations(metadata["annotations"], kMetadata / "annotations", errors);
  ValidateOwners(metadata["ownerReferences"], errors);
  ValidateFinalizers(metadata["finalizers"], false, errors);
}

void ValidateTemplateMetadata(const Json& metadata, const FieldPath& path, FieldErrors& errors) {
  CheckAnnotations(metadata["annotations"], path / "annotations", errors);
  ValidateLabels(metadata["labels"], path / "labels", errors);
  for (const Json::Member& member : metadata.members()) {
    if (member.name == "labels" || member.name == "annotations") continue;
    errors.Forbidden(path / member.name, "cannot be set");
  }
}

}  // namespace berth::server
