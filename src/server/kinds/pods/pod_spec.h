// SPDX-License-Identifier: Apache-2.0
// The spec of a pod, in pods and in templates: its defaults and what is valid.

#pragma once

#include <string_view>

#include "framework/feature_gates.h"
#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// The defaults that pods and templates share.
void DefaultPodSpec(Json& spec);

// Drops fields that belong to features which are off, unless `old`, the spec before, has them. Null: a new one.
void DropDisabledFields(Json& spec, const Json& old, const framework::FeatureGates& gates);

// Where the spec is found.
enum class SpecOf : unsigned char { kPod, kTemplate };

// `pod_name` is empty in templates.
void ValidatePodSpec(const Json& spec, SpecOf of, std::string_view pod_name, const FieldPath& path,
                     FieldErrors& errors);

// Annotations that mean something to pods.
void ValidatePodAnnotations(const Json& annotations, const Json& spec, const FieldPath& path, FieldErrors& errors);
// Fills the AppArmor profiles of containers from the annotations that stood for them once.
void ApplyAppArmorAnnotations(Json& pod);
// The security profiles of annotations and fields must agree where both are given.
void ValidateProfileAnnotations(const Json& annotations, const Json& spec, const FieldPath& spec_path,
                                FieldErrors& errors);

}  // namespace berth::server
