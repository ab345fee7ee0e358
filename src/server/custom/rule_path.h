// SPDX-License-Identifier: Apache-2.0
// The fieldPath of a rule: where its failure is shown, such as .spec.replicas or .data['a.b'].

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/custom/schema.h"

namespace berth::server {

// The path as errors write it, relative to the value that the rule is about. Nothing if the schema has no such place.
std::optional<std::string> ReadRulePath(std::string_view path, const Schema& schema);

}  // namespace berth::server
