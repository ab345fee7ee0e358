// SPDX-License-Identifier: Apache-2.0
// Which nodes and which other pods a pod wants to be with or away from, and how it spreads with its like.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

void ValidateAffinity(const Json& affinity, const FieldPath& path, FieldErrors& errors);

// A node selector, of pods or of volumes. One that only prefers may name values that no label can have.
void ValidateNodeSelectorTerms(const Json& selector, const FieldPath& path, FieldErrors& errors);

void ValidateTopologySpread(const Json& constraints, const FieldPath& path, FieldErrors& errors);

// The keys by which a selector is narrowed to pods whose labels are (not) those of the pod itself.
void ValidateMatchLabelKeys(const Json& term, const FieldPath& path, FieldErrors& errors);

// Adds to the selectors of affinity and spread what matchLabelKeys and mismatchLabelKeys stand for.
void ApplyMatchLabelKeys(Json& pod);

}  // namespace berth::server
