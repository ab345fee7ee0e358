// SPDX-License-Identifier: Apache-2.0
#include "server/model/field_errors.h"

#include <fmt/format.h>

#include "api/document/field_error.h"

namespace berth::server {
namespace {

std::string WithDetail(std::string body, std::string_view detail) {
  if (!detail.empty()) body.append(": ").append(detail);
  return body;
}

std::string WithValue(std::string_view what, const Json& value, std::string_view detail) {
  const std::string text = value.is_string() ? api::GoQuote(value.text()) : value.ToText();
  return WithDetail(fmt::format("{}: {}", what, text), detail);
}

}  // namespace

void FieldErrors::Required(std::string path, std::string_view detail) {
  Add({"FieldValueRequired", WithDetail("Required value", detail), std::move(path)});
}

void FieldErrors::Invalid(std::string path, const Json& value, std::string_view detail) {
  Add({"FieldValueInvalid", WithValue("Invalid value", value, detail), std::move(path)});
}

void FieldErrors::Duplicate(std::string path, const Json& value) {
  Add({"FieldValueDuplicate", WithValue("Duplicate value", value, {}), std::move(path)});
}

void FieldErrors::NotSupported(std::string path, std::string_view value, std::vector<std::string_view> supported) {
  std::string detail;
  for (const std::string_view each : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += api::GoQuote(each);
  }
  Add({"FieldValueNotSupported", WithValue("Unsupported value", Json::String(value), detail), std::move(path)});
}

void FieldErrors::Forbidden(std::string path, std::string_view detail) {
  Add({"FieldValueForbidden", WithDetail("Forbidden", detail), std::move(path)});
}

void FieldErrors::NotFound(std::string path, std::string_view value) {
  Add({"FieldValueNotFound", WithValue("Not found", Json::String(value), {}), std::move(path)});
}

void FieldErrors::TooLong(std::string path, size_t max_bytes) {
  Add({"FieldValueTooLong",
       fmt::format("Too long: may not be more than {} byte{}", max_bytes, max_bytes == 1 ? "" : "s"), std::move(path)});
}

void FieldErrors::TooMany(std::string path, size_t actual, size_t max) {
  Add({"FieldValueTooMany", fmt::format("Too many: {}: must have at most {} item{}", actual, max, max == 1 ? "" : "s"),
       std::move(path)});
}

void FieldErrors::TypeInvalid(std::string path, const Json& value, std::string_view detail) {
  Add({"FieldValueTypeInvalid", WithValue("Invalid value", value, detail), std::move(path)});
}

std::string Child(std::string_view parent, std::string_view name) {
  if (parent.empty()) return std::string(name);
  return fmt::format("{}.{}", parent, name);
}

std::string Index(std::string_view parent, size_t index) { return fmt::format("{}[{}]", parent, index); }

std::string Key(std::string_view parent, std::string_view key) { return fmt::format("{}[{}]", parent, key); }

}  // namespace berth::server
