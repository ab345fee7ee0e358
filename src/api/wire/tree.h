// SPDX-License-Identifier: Apache-2.0
// What the codecs add to a DocumentBuilder: text of doubtful encoding and copies of other trees.

#pragma once

#include <string>
#include <string_view>

#include "api/document/document_builder.h"
#include "api/document/value.h"

namespace berth::api::wire {

// `text` if it is UTF-8; otherwise a copy in `scratch` with U+FFFD for each wrong byte.
std::string_view AsUtf8(std::string_view text, std::string& scratch);

// Adds a copy of `value`. False if the tree would become too deep; the builder is of no use then.
bool Copy(Value value, DocumentBuilder& builder);

}  // namespace berth::api::wire
