// SPDX-License-Identifier: Apache-2.0
// FieldErrors: the list of everything wrong with a configuration, in upstream's words.
//
// Each error is `path: Kind: value: detail`. Validation collects all of them in a fixed order; the list becomes one
// message in which repeated texts appear once.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/field_error.h"
#include "base/result.h"

namespace berth::framework {

// `json` as Go writes it, which escapes what HTML gives a meaning.
std::string GoJson(std::string_view json);

// A JSON string as Go writes it: how values of a named string type are printed. Plain strings are printed by
// api::GoQuote.
std::string JsonString(std::string_view text);

class FieldErrors {
 public:
  void Invalid(const std::string& path, std::string_view value, std::string_view detail);
  void Invalid(const std::string& path, int64_t value, std::string_view detail);
  void Required(const std::string& path, std::string_view detail = {});
  void Duplicate(const std::string& path, std::string_view value);
  void Forbidden(const std::string& path, std::string_view detail);
  // `value` is the JSON form.
  void NotSupported(const std::string& path, std::string_view value, const std::vector<std::string_view>& supported);
  // An error for each reason why `name` cannot be the name of a label.
  void CheckLabelName(const std::string& path, const std::string& name);
  void Add(std::string message) { messages_.push_back(std::move(message)); }

  const std::vector<std::string>& messages() const { return messages_; }

  // `a`, or `[a, b]` for several different ones; nothing when the list is empty.
  std::optional<Error> Join() const;

 private:
  std::vector<std::string> messages_;
};

// `path[index]`.
std::string Index(const std::string& path, size_t index);

}  // namespace berth::framework
