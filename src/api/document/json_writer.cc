// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "api/document/utf8.h"
#include "base/assert.h"

namespace berth::api {
namespace {

bool NeedsEscape(char32_t c) {
  return c < 0x20 || c == '"' || c == '\\' || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
         c == 0xFFFE || c == 0xFFFF;
}

void AppendEscape(std::string& out, char32_t c) {
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint32_t>(c));
  }
}

bool IsPlainAscii(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

}  // namespace

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && IsPlainAscii(text[plain])) ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Utf8Char next = DecodeUtf8(text);
    if (!next.valid) {
      out += "\uFFFD";
    } else if (NeedsEscape(next.code_point)) {
      AppendEscape(out, next.code_point);
    } else {
      out += text.substr(0, next.size);
    }
    text.remove_prefix(next.size);
  }
  out += '"';
}

void AppendDouble(std::string& out, double number) {
  BERTH_ASSERT(std::isfinite(number));
  const double size = std::abs(number);
  const bool has_exponent = size != 0 && (size < 1e-6 || size >= 1e21);
  // Beyond the precision of double, the fixed form of to_chars is exact instead of shortest.
  const bool is_large = size >= 0x1p53;
  const auto format = has_exponent || is_large ? std::chars_format::scientific : std::chars_format::fixed;
  char buffer[64];
  const auto result = std::to_chars(std::begin(buffer), std::end(buffer), number, format);
  const std::string_view text(buffer, static_cast<size_t>(result.ptr - buffer));
  if (format == std::chars_format::fixed) {
    out += text;
    return;
  }
  const size_t e = text.find('e');
  const std::string_view mantissa = text.substr(0, e);
  // to_chars pads the exponent to two digits.
  const std::string_view exponent = text.substr(text[e + 2] == '0' ? e + 3 : e + 2);
  if (has_exponent) {
    out.append(mantissa).append(text.substr(e, 2)).append(exponent);
    return;
  }
  const size_t begin = out.size();
  std::ranges::remove_copy(mantissa, std::back_inserter(out), '.');
  size_t digits = 0;
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), digits);
  out.resize(begin + (number < 0 ? 1 : 0) + digits + 1, '0');
}

void JsonWriter::NewLine() {
  if (indent_ == 0) return;
  out_ += '\n';
  out_.append(indent_ * has_items_.size(), ' ');
}

// Writes what stands between the previous item and the next one.
void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ += ',';
  has_items_.back() = true;
  NewLine();
}

JsonWriter JsonWriter::OfTree() {
  JsonWriter writer;
  writer.tree_.emplace();
  return writer;
}

JsonWriter& JsonWriter::Begin(Value::Kind kind) {
  if (tree_) {
    tree_->Begin(kind);
    return *this;
  }
  Separate();
  out_ += kind == Value::Kind::kMap ? '{' : '[';
  has_items_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  if (tree_) {
    tree_->End();
    return *this;
  }
  BERTH_ASSERT(!has_items_.empty() && !after_key_);
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (had_items) NewLine();
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view name) {
  if (tree_) {
    tree_->Key(name);
    return *this;
  }
  Separate();
  AppendQuoted(out_, name);
  out_ += indent_ == 0 ? ":" : ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) {
  if (tree_) return Plain(Value::Kind::kString, text);
  Separate();
  AppendQuoted(out_, text);
  return *this;
}

JsonWriter& JsonWriter::Int(int64_t number) { return Digits(fmt::format_int(number).c_str()); }

JsonWriter& JsonWriter::UInt(uint64_t number) { return Digits(fmt::format_int(number).c_str()); }

JsonWriter& JsonWriter::Double(double number) {
  if (!std::isfinite(number)) return Null();
  std::string digits;
  AppendDouble(digits, number);
  return Digits(digits);
}

JsonWriter& JsonWriter::Plain(Value::Kind kind, std::string_view text) {
  if (tree_) {
    tree_->Scalar(kind, kind == Value::Kind::kNull ? std::string_view() : text);
    return *this;
  }
  Separate();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::Copy(Value value) {
  switch (value.kind()) {
    case Value::Kind::kNull: return Null();
    case Value::Kind::kBool:
    case Value::Kind::kNumber: return Plain(value.kind(), value.text());
    case Value::Kind::kString: return String(value.text());
    case Value::Kind::kList:
      BeginArray();
      for (size_t i = 0; i < value.size(); ++i) Copy(value[i]);
      return EndArray();
    case Value::Kind::kMap:
      BeginObject();
      for (size_t i = 0; i < value.size(); ++i) Key(value.key(i)).Copy(value[i]);
      return EndObject();
  }
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  if (tree_) {
    const Result<Document> document = ParseJson(json);
    BERTH_ASSERT(document);
    return Copy(document->root());
  }
  Separate();
  out_ += json;
  return *this;
}

std::string JsonWriter::Take() {
  BERTH_ASSERT(!tree_ && has_items_.empty() && !after_key_);
  return std::exchange(out_, {});
}

Result<Document> JsonWriter::TakeTree() {
  BERTH_ASSERT(tree_);
  Result<Document> document = tree_->Finish();
  tree_.emplace();
  return document;
}

}  // namespace berth::api
