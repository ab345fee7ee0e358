// SPDX-License-Identifier: Apache-2.0
// Names of those who sign certificates, such as kubernetes.io/kubelet-serving.

#pragma once

#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"

namespace berth::server {

// Reports what is wrong with a name, which must be there.
void CheckSignerName(FieldErrors& errors, const FieldPath& path, std::string_view name);

// Whether it is one of Kubernetes' own.
bool IsKubernetesSigner(std::string_view name);

}  // namespace berth::server
