// SPDX-License-Identifier: Apache-2.0
// Value: a place in a tree that is read: a parsed JSON or YAML document, or a tree of Json that can be changed
// elsewhere.
//
// A Document owns the bytes and a flat array of nodes; a Value is a cheap handle into it, or into a Json. All parsers
// and builders make such trees, so every decoder and encoder is written once. Scalars keep their source text, so that a
// quantity written as `1` and one written as `"1"` decode alike and no digit is lost. Members of a document keep
// their order, duplicates included (strict decoders report them).
//
// Lookups never fail: an absent member, an index out of range or a lookup in a scalar yields the null
// Value, so chains such as value["spec"]["containers"] need no checks.

#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::api {

class Document;
class Json;

class Value {
 public:
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kList, kMap };

  Value() = default;  // The null Value; belongs to no tree.
  // REQUIRES: neither this nor what is reached from it is used after the tree changed or died.
  explicit Value(const Json& tree) : tree_(&tree), index_(kInTree) {}

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_map() const { return kind() == Kind::kMap; }
  bool is_list() const { return kind() == Kind::kList; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_number() const { return kind() == Kind::kNumber; }
  bool is_bool() const { return kind() == Kind::kBool; }

  // A scalar's text: the content of a string, the digits of a number as written, "true" or "false".
  // Empty for null, lists and maps.
  std::string_view text() const;

  // The number as int64, or nothing if this is no number, has a fraction or does not fit. A number
  // written 1e3 or 1.0 is an integer.
  std::optional<int64_t> AsInt() const;
  std::optional<double> AsDouble() const;
  std::optional<bool> AsBool() const;

  // Elements of a list or members of a map; 0 for others.
  size_t size() const;
  Value operator[](size_t index) const;           // Element of a list or member of a map, in order.
  std::string_view key(size_t index) const;       // Member name of a map.
  Value operator[](std::string_view name) const;  // The last member called `name`.

  // Where the value starts in its source, or a member's name, from 1; 0 when that is not known (JSON).
  uint32_t line() const;

  // Compact JSON with members in their order; numbers as written.
  std::string ToJson() const;

 private:
  friend class Document;
  static constexpr uint32_t kInTree = UINT32_MAX;

  Value(const Document* document, uint32_t index) : document_(document), index_(index) {}
  bool is_in_tree() const { return index_ == kInTree; }

  union {
    const Document* document_ = nullptr;
    const Json* tree_;
  };
  uint32_t index_ = 0;  // Of the node in the document, or kInTree.
};

class Document {
 public:
  Document() = default;
  Document(Document&&) noexcept = default;
  Document& operator=(Document&&) noexcept = default;

  // REQUIRES: values handed out by root() are not used after the Document moved or died.
  Value root() const { return nodes_.empty() ? Value() : Value(this, 0); }

 private:
  friend class Value;
  friend class DocumentBuilder;

  struct Node {
    Value::Kind kind = Value::Kind::kNull;
    uint32_t line = 0;
    uint32_t text_begin = 0;  // Into text_.
    uint32_t text_size = 0;
    uint32_t key_begin = 0;  // Member name, into text_.
    uint32_t key_size = 0;
    uint32_t first_child = 0;  // Into children_.
    uint32_t child_count = 0;
  };

  std::string text_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> children_;
};

// Parses one JSON document. Errors name the line where it can be told. `text` need not outlive the call.
// Nesting deeper than 200, invalid UTF-8 and trailing bytes are errors.
Result<Document> ParseJson(std::string_view text);

// The kind of a value in errors of Go's decoder: object, array, string, number, bool or null.
std::string_view GoKindName(Value::Kind kind);

// Parses a YAML stream into its documents (empty ones are left out), with the scalar rules of YAML 1.1 that
// kubectl uses. Anchors and aliases are expanded within a size limit. Errors read "line N: reason".
Result<std::vector<Document>> ParseYaml(std::string_view text);

// JSON if the first non-space byte is '{' or '[' and it parses as such, YAML otherwise.
Result<std::vector<Document>> ParseJsonOrYaml(std::string_view text);

}  // namespace berth::api
