// SPDX-License-Identifier: Apache-2.0
// Label selectors as they stand in objects: read for matching, and validated.

#pragma once

#include <optional>

#include "api/parts/selector.h"
#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// Nothing if `selector` is unset: such a selector matches nothing, while an empty one matches everything.
std::optional<api::LabelSelector> ReadLabelSelector(const Json& selector);

void ValidateLabelSelector(const Json& selector, const FieldPath& path, FieldErrors& errors);
// Keys and values of labels.
void ValidateLabels(const Json& labels, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
