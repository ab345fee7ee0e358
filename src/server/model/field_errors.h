// SPDX-License-Identifier: Apache-2.0
// FieldErrors: what validation finds wrong with an object, in the order in which it was found.
//
// A path is written as users know it: spec.containers[0].name, metadata.labels[app].

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

// One error, as it stands among the causes of a Status.
struct FieldError {
  std::string reason;   // Such as FieldValueInvalid.
  std::string message;  // Such as `Invalid value: "x": must be a number`, without the path.
  std::string field;
};

class FieldErrors {
 public:
  void Required(std::string path, std::string_view detail = {});
  // The value as upstream prints it: strings quoted, others as JSON.
  void Invalid(std::string path, const Json& value, std::string_view detail);
  void Invalid(std::string path, std::string_view value, std::string_view detail) {
    Invalid(std::move(path), Json::String(value), detail);
  }
  void Duplicate(std::string path, const Json& value);
  void Duplicate(std::string path, std::string_view value) { Duplicate(std::move(path), Json::String(value)); }
  // Lists the supported values in the order given, which upstream mostly, but not always, sorts.
  void NotSupported(std::string path, std::string_view value, std::vector<std::string_view> supported);
  void Forbidden(std::string path, std::string_view detail);
  void NotFound(std::string path, std::string_view value);
  void TooLong(std::string path, size_t max_bytes);
  void TooMany(std::string path, size_t actual, size_t max);
  void TypeInvalid(std::string path, const Json& value, std::string_view detail);
  void Add(FieldError error) { errors_.push_back(std::move(error)); }
  // What the client shall know although nothing is wrong.
  void Warn(std::string warning) { warnings_.push_back(std::move(warning)); }

  bool empty() const { return errors_.empty(); }
  const std::vector<FieldError>& all() const { return errors_; }
  std::vector<FieldError> Take() { return std::move(errors_); }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<FieldError> errors_;
  std::vector<std::string> warnings_;
};

// spec + containers -> spec.containers; an empty parent gives the name alone.
std::string Child(std::string_view parent, std::string_view name);
// containers + 2 -> containers[2].
std::string Index(std::string_view parent, size_t index);
// labels + app -> labels[app].
std::string Key(std::string_view parent, std::string_view key);

}  // namespace berth::server
