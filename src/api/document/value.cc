// SPDX-License-Identifier: Apache-2.0
#include "api/document/value.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "api/document/json_tree.h"
#include "api/document/json_writer.h"

namespace berth::api {
namespace {

// The parts of a JSON number: value = digits * 10^exponent, without trailing zeros in digits.
struct Decimal {
  bool negative = false;
  std::string digits;
  int64_t exponent = 0;
};

// Nothing when the exponent is beyond all reason.
std::optional<Decimal> SplitNumber(std::string_view text) {
  Decimal decimal;
  if (text.starts_with('-')) {
    decimal.negative = true;
    text.remove_prefix(1);
  }
  const size_t e = text.find_first_of("eE");
  if (e != text.npos) {
    std::string_view exponent = text.substr(e + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    int32_t number = 0;
    const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), number);
    if (error != std::errc()) return std::nullopt;
    decimal.exponent = number;
    text = text.substr(0, e);
  }
  const size_t dot = text.find('.');
  decimal.digits = text.substr(0, dot);
  if (dot != text.npos) {
    decimal.digits += text.substr(dot + 1);
    decimal.exponent -= static_cast<int64_t>(text.size() - dot - 1);
  }
  const size_t kept = decimal.digits.find_last_not_of('0') + 1;
  decimal.exponent += static_cast<int64_t>(decimal.digits.size() - kept);
  decimal.digits.resize(kept);
  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  return decimal;
}

std::optional<int64_t> ParseUnpaddedInt(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Value::Kind Value::kind() const {
  if (is_in_tree()) return tree_->kind();
  return document_ == nullptr ? Kind::kNull : document_->nodes_[index_].kind;
}

std::string_view Value::text() const {
  if (is_in_tree()) return tree_->is_bool() ? (tree_->AsBool() ? "true" : "false") : std::string_view(tree_->text());
  if (document_ == nullptr) return {};
  const Document::Node& node = document_->nodes_[index_];
  return std::string_view(document_->text_).substr(node.text_begin, node.text_size);
}

std::optional<int64_t> Value::AsInt() const {
  if (!is_number()) return std::nullopt;
  if (const auto number = ParseUnpaddedInt(text())) return number;
  std::optional<Decimal> decimal = SplitNumber(text());
  if (!decimal) return std::nullopt;
  if (decimal->digits.empty()) return 0;
  constexpr int64_t kDigitsMax = 19;
  if (decimal->exponent < 0 || static_cast<int64_t>(decimal->digits.size()) + decimal->exponent > kDigitsMax) {
    return std::nullopt;
  }
  decimal->digits.append(static_cast<size_t>(decimal->exponent), '0');
  if (decimal->negative) decimal->digits.insert(0, 1, '-');
  return ParseUnpaddedInt(decimal->digits);
}

std::optional<double> Value::AsDouble() const {
  if (!is_number()) return std::nullopt;
  const std::string_view digits = text();
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  // from_chars does not tell too large from too small, strtod does: too small is zero.
  if (error == std::errc::result_out_of_range) number = std::strtod(std::string(digits).c_str(), nullptr);
  if (!std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<bool> Value::AsBool() const {
  if (!is_bool()) return std::nullopt;
  return text() == "true";
}

size_t Value::size() const {
  if (is_in_tree()) return tree_->size();
  return document_ == nullptr ? 0 : document_->nodes_[index_].child_count;
}

Value Value::operator[](size_t index) const {
  if (index >= size()) return {};
  if (is_in_tree()) return Value(tree_->is_map() ? tree_->members()[index].value : tree_->items()[index]);
  return {document_, document_->children_[document_->nodes_[index_].first_child + index]};
}

std::string_view Value::key(size_t index) const {
  if (!is_map() || index >= size()) return {};
  if (is_in_tree()) return tree_->members()[index].name;
  const Document::Node& node = document_->nodes_[(*this)[index].index_];
  return std::string_view(document_->text_).substr(node.key_begin, node.key_size);
}

Value Value::operator[](std::string_view name) const {
  if (is_in_tree()) return Value((*tree_)[name]);
  if (!is_map()) return {};
  const Document::Node& map = document_->nodes_[index_];
  const std::string_view text = document_->text_;
  for (size_t i = map.child_count; i > 0; --i) {
    const uint32_t child = document_->children_[map.first_child + i - 1];
    const Document::Node& node = document_->nodes_[child];
    if (node.key_size == name.size() && text.substr(node.key_begin, node.key_size) == name) return {document_, child};
  }
  return {};
}

uint32_t Value::line() const { return is_in_tree() || document_ == nullptr ? 0 : document_->nodes_[index_].line; }

std::string Value::ToJson() const { return JsonWriter().Copy(*this).Take(); }

std::string_view GoKindName(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNull: return "null";
    case Value::Kind::kBool: return "bool";
    case Value::Kind::kNumber: return "number";
    case Value::Kind::kString: return "string";
    case Value::Kind::kList: return "array";
    case Value::Kind::kMap: return "object";
  }
  return "";
}

}  // namespace berth::api
