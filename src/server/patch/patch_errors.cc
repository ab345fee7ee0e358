// SPDX-License-Identifier: Apache-2.0
#include "server/patch/patch_errors.h"

#include <fmt/format.h>

#include <utility>

#include "server/patch/go_text.h"

namespace berth::server {

Refusal DoesNotApply() {
  StatusError error;
  error.code = 422;
  error.reason = "Invalid";
  error.has_details = true;
  error.message = "the server rejected our request due to an error in our request";
  return Refusal(std::move(error));
}

Refusal Unforeseen(std::string message) {
  StatusError error;
  error.code = 500;
  error.message = std::move(message);
  return Refusal(std::move(error));
}

Refusal WrongType(std::string_view expected, const Json& value) {
  const std::string_view actual = value.is_null() ? "%!s(<nil>)" : GoType(value);
  return Unforeseen(fmt::format("expected a {}, but received a {}", expected, actual));
}

Refusal NoMergeKey(const Json& element, std::string_view merge_key) {
  return Unforeseen(fmt::format("map: {} does not contain declared merge key: {}", GoText(element), merge_key));
}

}  // namespace berth::server
