// SPDX-License-Identifier: Apache-2.0
// Metadata, which is the same for objects of every kind: its finalizers, and what is valid.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"
#include "server/model/resource.h"

namespace berth::server {

// With these the garbage collector lets go of what an object owns, or deletes it before the object goes.
inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
// Holds a group while it has pods.
inline constexpr std::string_view kGroupProtectionFinalizer = "scheduling.k8s.io/podgroup-protection";

bool HasFinalizer(const Json& metadata, std::string_view finalizer);
void AddFinalizer(Json& metadata, std::string_view finalizer);
// The list goes with its last one.
void RemoveFinalizer(Json& metadata, std::string_view finalizer);

// Takes out the owners with these uids. The list goes with its last one.
void RemoveOwners(Json& metadata, const std::vector<std::string>& uids);

// Of kinds that take the status alone through /status: puts back what else may be changed.
void ResetMetadata(Json& object, const Json& old);

// The name and namespace of an object.
void ValidateIdentity(const Json& object, const Resource& resource, FieldErrors& errors);

// The metadata of a new or changed object.
void ValidateMetadata(const Json& object, const Resource& resource, FieldErrors& errors);

// The metadata of an object within an object.
void ValidateEmbeddedMetadata(const Json& metadata, FieldErrors& errors);

// The metadata of a template: what is made from it gets labels and annotations, and nothing else may be set.
void ValidateTemplateMetadata(const Json& metadata, const FieldPath& path, FieldErrors& errors);

// What may not change; besides ValidateMetadata. The name is known to be the same.
void ValidateMetadataUpdate(const Json& metadata, const Json& old, FieldErrors& errors);

}  // namespace berth::server
