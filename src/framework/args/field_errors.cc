// SPDX-License-Identifier: Apache-2.0
#include "framework/args/field_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/document/json_writer.h"
#include "api/parts/selector.h"
#include "base/error_counts.h"

namespace berth::framework {
namespace {

void AppendWithDetail(std::string& message, std::string_view detail) {
  if (!detail.empty()) fmt::format_to(std::back_inserter(message), ": {}", detail);
}

}  // namespace

std::string GoJson(std::string_view json) {
  std::string out;
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string JsonString(std::string_view text) {
  std::string quoted;
  api::AppendQuoted(quoted, text);
  return GoJson(quoted);
}

void FieldErrors::Invalid(const std::string& path, std::string_view value, std::string_view detail) {
  Add(fmt::format("{}: Invalid value: {}", path, value));
  AppendWithDetail(messages_.back(), detail);
}

void FieldErrors::Invalid(const std::string& path, int64_t value, std::string_view detail) {
  Invalid(path, std::to_string(value), detail);
}

void FieldErrors::Required(const std::string& path, std::string_view detail) {
  Add(path + ": Required value");
  AppendWithDetail(messages_.back(), detail);
}

void FieldErrors::Duplicate(const std::string& path, std::string_view value) {
  Add(fmt::format("{}: Duplicate value: {}", path, value));
}

void FieldErrors::Forbidden(const std::string& path, std::string_view detail) {
  Add(path + ": Forbidden");
  AppendWithDetail(messages_.back(), detail);
}

void FieldErrors::NotSupported(const std::string& path, std::string_view value,
                               const std::vector<std::string_view>& supported) {
  std::vector<std::string> quoted;
  for (const std::string_view word : supported) quoted.push_back(api::GoQuote(word));
  Add(fmt::format("{}: Unsupported value: {}: supported values: {}", path, value, fmt::join(quoted, ", ")));
}

void FieldErrors::CheckLabelName(const std::string& path, const std::string& name) {
  for (const std::string& problem : api::ValidateQualifiedName(name)) Invalid(path, api::GoQuote(name), problem);
}

std::optional<Error> FieldErrors::Join() const {
  if (messages_.empty()) return std::nullopt;
  return Error{Code::kInvalid, JoinErrors(messages_)};
}

std::string Index(const std::string& path, size_t index) { return fmt::format("{}[{}]", path, index); }

}  // namespace berth::framework
