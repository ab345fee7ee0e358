// SPDX-License-Identifier: Apache-2.0
// DocumentBuilder: assembles a Document from the events of a parser.
//
// Values come in document order; inside a map each is preceded by Key(). A subtree may be shared by several
// places (YAML aliases), which costs one node and no copy.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/document/value.h"

namespace berth::api {

class DocumentBuilder {
 public:
  static constexpr size_t kDepthMax = 200;
  static constexpr size_t kInputMax = size_t{1} << 31;

  // Makes room at once for what usually comes out of so many bytes.
  void Reserve(size_t bytes);

  // Names the next value. The view is copied.
  void Key(std::string_view name);
  void Scalar(Value::Kind kind, std::string_view text, uint32_t line = 0);

  // Opens a list or map; returns its id for Share().
  // REQUIRES: depth() < kDepthMax; the parser reports what is too deep, as it knows the place.
  uint32_t Begin(Value::Kind kind, uint32_t line = 0);
  void End();

  // Adds a value with the content of `id`.
  // REQUIRES: the list or map `id` has ended.
  void Share(uint32_t id, uint32_t line);

  // Replaces the value added last to the open map by its members: the value is a map, or a list of maps of
  // which the first wins. False when it is neither.
  bool MergeLast();

  // How many lists and maps are open.
  size_t depth() const { return open_.size(); }

  // Fails when the text of the document outgrows its 32-bit offsets.
  // REQUIRES: one value was added and every Begin() has its End().
  Result<Document> Finish();

 private:
  struct Open {
    uint32_t node;
    size_t first_pending;
  };
  struct Span {
    uint32_t begin = 0;
    uint32_t size = 0;
  };

  Span Store(std::string_view text);
  uint32_t Add(Document::Node node);
  void AppendMembers(uint32_t map);

  Document document_;
  std::vector<Open> open_;
  std::vector<uint32_t> pending_;  // Children of the open lists and maps, outermost first.
  Span key_;
  bool overflow_ = false;
};

}  // namespace berth::api
