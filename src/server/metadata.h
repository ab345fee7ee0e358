// SPDX-License-Identifier: Apache-2.0
// Metadata, which is the same for objects of every kind: its finalizers, and what is valid.

#pragma once

#include <string_view>

#include "server/field_errors.h"
#include "server/json.h"
#include "server/resource.h"

namespace berth::server {

// With these the garbage collector lets go of what an object owns, or deletes it before the object goes.
inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

bool HasFinalizer(const Json& metadata, std::string_view finalizer);
// The list goes with its last one.
void RemoveFinalizer(Json& metadata, std::string_view finalizer);

// Name and namespace.
void ValidateIdentity(const Json& metadata, const Resource& resource, FieldErrors& errors);

// Of new and changed objects.
void ValidateMetadata(const Json& metadata, const Resource& resource, FieldErrors& errors);

// What may not change; besides ValidateMetadata. The name is known to be the same.
void ValidateMetadataUpdate(const Json& metadata, const Json& old, FieldErrors& errors);

}  // namespace berth::server
