// SPDX-License-Identifier: Apache-2.0
#include "api/document/document_builder.h"

#include <limits>
#include <utility>

#include "base/assert.h"

namespace berth::api {

DocumentBuilder::Span DocumentBuilder::Store(std::string_view text) {
  const size_t begin = document_.text_.size();
  if (text.size() > std::numeric_limits<uint32_t>::max() - begin) {
    overflow_ = true;
    return {};
  }
  document_.text_.append(text);
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(text.size())};
}

uint32_t DocumentBuilder::Add(Document::Node node) {
  node.key_begin = key_.begin;
  node.key_size = key_.size;
  key_ = {};
  const auto id = static_cast<uint32_t>(document_.nodes_.size());
  document_.nodes_.push_back(node);
  pending_.push_back(id);
  return id;
}

void DocumentBuilder::Reserve(size_t bytes) {
  document_.text_.reserve(bytes);
  document_.nodes_.reserve(bytes / 16);
  document_.children_.reserve(bytes / 16);
  pending_.reserve(64);
  open_.reserve(16);
}

void DocumentBuilder::Key(std::string_view name) { key_ = Store(name); }

void DocumentBuilder::Scalar(Value::Kind kind, std::string_view text, uint32_t line) {
  const Span span = Store(text);
  Add({.kind = kind, .line = line, .text_begin = span.begin, .text_size = span.size});
}

uint32_t DocumentBuilder::Begin(Value::Kind kind, uint32_t line) {
  BERTH_ASSERT(depth() < kDepthMax);
  const uint32_t node = Add({.kind = kind, .line = line});
  open_.push_back({node, pending_.size()});
  return node;
}

void DocumentBuilder::End() {
  BERTH_ASSERT(!open_.empty());
  const Open open = open_.back();
  open_.pop_back();
  Document::Node& node = document_.nodes_[open.node];
  node.first_child = static_cast<uint32_t>(document_.children_.size());
  node.child_count = static_cast<uint32_t>(pending_.size() - open.first_pending);
  const auto first = pending_.begin() + static_cast<ptrdiff_t>(open.first_pending);
  document_.children_.insert(document_.children_.end(), first, pending_.end());
  pending_.erase(first, pending_.end());
}

void DocumentBuilder::Share(uint32_t id, uint32_t line) {
  Document::Node node = document_.nodes_[id];
  node.line = line;
  Add(node);
}

void DocumentBuilder::AppendMembers(uint32_t map) {
  const Document::Node& node = document_.nodes_[map];
  const auto first = document_.children_.begin() + node.first_child;
  pending_.insert(pending_.end(), first, first + node.child_count);
}

bool DocumentBuilder::MergeLast() {
  const uint32_t id = pending_.back();
  const Document::Node source = document_.nodes_[id];
  pending_.pop_back();
  if (source.kind == Value::Kind::kMap) {
    AppendMembers(id);
    return true;
  }
  if (source.kind != Value::Kind::kList) return false;
  // The last of equal names counts, so the map that wins comes last.
  for (uint32_t i = source.child_count; i > 0; --i) {
    const uint32_t element = document_.children_[source.first_child + i - 1];
    if (document_.nodes_[element].kind != Value::Kind::kMap) return false;
    AppendMembers(element);
  }
  return true;
}

Result<Document> DocumentBuilder::Finish() {
  BERTH_ASSERT(open_.empty() && pending_.size() == 1);
  if (overflow_) return Fail(Code::kLimit, "the document holds more than 4 GiB of text");
  pending_.clear();
  return std::exchange(document_, {});
}

}  // namespace berth::api
