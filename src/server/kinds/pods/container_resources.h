// SPDX-License-Identifier: Apache-2.0
// Requests and limits: which resources there are, and what amounts of them are valid.

#pragma once

#include <string_view>
#include <vector>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

bool IsHugePages(std::string_view resource);
// Of Kubernetes itself: without a domain, or with one that ends in kubernetes.io.
bool IsNativeResource(std::string_view resource);
bool IsExtendedResource(std::string_view resource);
// Whether more than there is may be promised, so that requests may be smaller than limits.
bool AllowsOvercommit(std::string_view resource);
// Whether it may be asked for a pod as a whole.
bool IsPodLevelResource(std::string_view resource);

enum class ResourceScope : unsigned char { kContainer, kPod };

// Limits, requests and claims. `claims` are the names of the pod's claims.
void ValidateResources(const Json& resources, ResourceScope scope, const std::vector<std::string_view>& claims,
                       const FieldPath& path, FieldErrors& errors);

// A list of amounts: names and values.
void ValidateAmount(std::string_view resource, const Json& amount, const FieldPath& path, FieldErrors& errors);
void ValidateResourceName(std::string_view resource, ResourceScope scope, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
