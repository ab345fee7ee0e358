// SPDX-License-Identifier: Apache-2.0
// Validation: what an API server would not have let in, as far as scheduling depends on it.
//
// Decoding catches data of the wrong type; this catches values that are out of range or not among the known ones. Every
// error reads `spec.tolerations[0].effect: unknown value "Never", expected one of ...`.

#pragma once

#include <string>
#include <vector>

#include "api/objects/object.h"
#include "app/simulate/workload.h"

namespace berth::simulate {

using FieldErrors = std::vector<std::string>;

// `path` starts the path of each error: empty, or "spec.template." for a template.
void ValidatePod(const api::Pod& pod, const std::string& path, FieldErrors& errors);
void ValidateWorkload(const Workload& workload, FieldErrors& errors);
// Kinds that have nothing to check pass.
void ValidateObject(const api::Object& object, FieldErrors& errors);
void ValidateName(const api::ObjectMeta& meta, FieldErrors& errors);

}  // namespace berth::simulate
