// SPDX-License-Identifier: Apache-2.0
// JsonWriter: writes JSON text piece by piece.
//
// Commas, colons and indentation come by themselves; the caller keeps Begin and End balanced and writes a
// Key before each value of an object. The output is always valid UTF-8: bytes that are not become U+FFFD.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

class JsonWriter {
 public:
  // `indent` spaces per level; 0 writes everything on one line.
  explicit JsonWriter(size_t indent = 0) : indent_(indent) {}

  JsonWriter& BeginObject() { return Begin('{'); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin('['); }
  JsonWriter& EndArray() { return End(']'); }

  JsonWriter& Key(std::string_view name);
  JsonWriter& String(std::string_view text);
  JsonWriter& Int(int64_t number);
  JsonWriter& UInt(uint64_t number);
  JsonWriter& Double(double number);  // Infinity and NaN, which JSON lacks, become null.
  JsonWriter& Bool(bool value) { return Raw(value ? "true" : "false"); }
  JsonWriter& Null() { return Raw("null"); }
  JsonWriter& Raw(std::string_view json);  // REQUIRES: `json` is one valid value.

  // A member, left out if the text is empty.
  JsonWriter& Text(std::string_view name, std::string_view text) { return text.empty() ? *this : Key(name).String(text); }

  // The text so far; the writer is empty afterwards.
  std::string Take();

 private:
  JsonWriter& Begin(char bracket);
  JsonWriter& End(char bracket);
  void Separate();
  void NewLine();

  std::string out_;
  std::vector<bool> has_items_;  // One per open object or array.
  bool after_key_ = false;
  size_t indent_;
};

// Appends `text` as a quoted JSON string. Besides what JSON demands it escapes what YAML does not take as it
// is (other control characters, line separators, the byte order mark), so the result is also a YAML string.
void AppendQuoted(std::string& out, std::string_view text);

// Appends the shortest decimal form that reads back as `number`, with an exponent only below 1e-6 and from 1e21.
// REQUIRES: `number` is finite.
void AppendDouble(std::string& out, double number);

}  // namespace berth::api
