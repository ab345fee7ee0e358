// SPDX-License-Identifier: Apache-2.0
// GoJsonReader: reads JSON by the rules of Go's encoding/json, which is how extenders' answers are read upstream.
//
// Names of members match whatever their case, unknown members are ignored, and of members that occur twice the later
// one is read over what the earlier one left. The first value of a wrong type is the error, in Go's words, and what
// follows is still read. Null leaves strings, numbers and structs as they were; for lists and maps the caller decides.

#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/document/value.h"
#include "base/result.h"

namespace berth::scheduler {

// Parses the first JSON value of `text` and ignores what follows it. Invalid UTF-8 becomes U+FFFD.
Result<api::Document> ParseFirstJson(std::string_view text);

class GoJsonReader {
 public:
  using Field = std::pair<std::string_view, std::function<void(api::Value)>>;

  // The names of types are Go's and appear in errors only.
  void Struct(api::Value value, std::string_view type, std::initializer_list<Field> fields);
  void String(api::Value value, std::string& out);
  void Int(api::Value value, int64_t& out);

  // Whether the value is a list or a map; if not, that is an error.
  bool IsList(api::Value value, std::string_view type) { return Is(api::Value::Kind::kList, value, type); }
  bool IsMap(api::Value value, std::string_view type) { return Is(api::Value::Kind::kMap, value, type); }

  // Reports something else than a wrong type.
  void Fail(std::string message);

  // Of the first error.
  Result<void> Finish() const;

 private:
  bool Is(api::Value::Kind kind, api::Value value, std::string_view type);
  void FailType(api::Value value, std::string_view type);

  std::string_view struct_;              // The innermost one around the present place.
  std::vector<std::string_view> place_;  // Names of fields, outermost first.
  std::string error_;
};

}  // namespace berth::scheduler
