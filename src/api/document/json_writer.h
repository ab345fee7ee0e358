// SPDX-License-Identifier: Apache-2.0
// JsonWriter: writes JSON piece by piece, as a text or as the tree of that text, from which other forms can be made.
//
// Commas, colons and indentation come by themselves; the caller keeps Begin and End balanced and writes a
// Key before each value of an object. A text is always valid UTF-8: bytes that are not become U+FFFD.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/document_builder.h"

namespace berth::api {

class JsonWriter {
 public:
  // `indent` spaces per level; 0 writes everything on one line.
  explicit JsonWriter(size_t indent = 0) : indent_(indent) {}
  // For TakeTree.
  static JsonWriter OfTree();

  JsonWriter& BeginObject() { return Begin(Value::Kind::kMap); }
  JsonWriter& EndObject() { return End('}'); }
  JsonWriter& BeginArray() { return Begin(Value::Kind::kList); }
  JsonWriter& EndArray() { return End(']'); }

  JsonWriter& Key(std::string_view name);
  JsonWriter& String(std::string_view text);
  JsonWriter& Int(int64_t number);
  JsonWriter& UInt(uint64_t number);
  JsonWriter& Double(double number);  // Infinity and NaN, which JSON lacks, become null.
  JsonWriter& Bool(bool value) { return Plain(Value::Kind::kBool, value ? "true" : "false"); }
  JsonWriter& Null() { return Plain(Value::Kind::kNull, "null"); }
  JsonWriter& Digits(std::string_view number) { return Plain(Value::Kind::kNumber, number); }
  JsonWriter& Copy(Value value);           // As it is.
  JsonWriter& Raw(std::string_view json);  // REQUIRES: `json` is one valid value.

  // A member, left out if the text is empty.
  JsonWriter& Text(std::string_view name, std::string_view text) {
    return text.empty() ? *this : Key(name).String(text);
  }

  // The text so far; the writer is empty afterwards.
  std::string Take();
  // The same for a writer of trees. Fails if it has more text than a document can have.
  Result<Document> TakeTree();

 private:
  JsonWriter& Begin(Value::Kind kind);
  JsonWriter& End(char bracket);
  JsonWriter& Plain(Value::Kind kind, std::string_view text);
  void Separate();
  void NewLine();

  std::string out_;
  std::vector<bool> has_items_;  // One per open object or array.
  bool after_key_ = false;
  size_t indent_;
  std::optional<DocumentBuilder> tree_;  // Of a writer of trees, instead of the above.
};

// Appends `text` as a quoted JSON string. Besides what JSON demands it escapes what YAML does not take as it
// is (other control characters, line separators, the byte order mark), so the result is also a YAML string.
void AppendQuoted(std::string& out, std::string_view text);

// Appends the shortest decimal form that reads back as `number`, with an exponent only below 1e-6 and from 1e21.
// REQUIRES: `number` is finite.
void AppendDouble(std::string& out, double number);

}  // namespace berth::api
