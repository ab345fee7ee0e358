// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "api/document/document_builder.h"
#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "api/wire/json_fields.h"
#include "api/wire/json_object.h"
#include "api/wire/tree.h"
#include "base/ascii.h"

namespace berth::api {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using Kind = Value::Kind;

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// On-Demand checks a number only while converting it, and the conversion refuses numbers beyond 64 bits.
bool IsNumber(std::string_view text) {
  size_t at = text.starts_with('-') ? 1 : 0;
  const size_t whole = at;
  at = SkipDigits(text, at);
  if (at == whole || (text[whole] == '0' && at > whole + 1)) return false;
  if (at < text.size() && text[at] == '.') {
    const size_t fraction = at + 1;
    at = SkipDigits(text, fraction);
    if (at == fraction) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t exponent = at;
    at = SkipDigits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

std::string_view Token(ondemand::value value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && IsSpace(token.back())) token.remove_suffix(1);
  return token;
}

// What the wire table says about a value. Without a message it says nothing, and all of the value is read.
struct Part {
  const wire::Message* message = nullptr;
  wire::Shape shape = wire::Shape::kSingle;

  Part Element() const { return shape == wire::Shape::kRepeated ? Part{message} : Part{}; }

  // Nothing if the member is not to be read.
  std::optional<Part> Member(std::string_view name, const wire::ReadOptions& options) const {
    if (shape == wire::Shape::kMap) return Part{message};
    if (shape != wire::Shape::kSingle || message == nullptr || message->form != wire::Form::kStruct) return Part{};
    const JsonField* const field = JsonFields::Of(*message).Find(name);
    if (field == nullptr || options.LeavesOut(*field->field)) return std::nullopt;
    if (field->field->type != wire::Type::kMessage) return Part{};
    return Part{&field->message(), field->field->shape};
  }
};

// Feeds a value tree to the builder. Failures are simdjson's codes; the place is asked of the document.
class Reader {
 public:
  Reader(DocumentBuilder& builder, const wire::ReadOptions& options) : builder_(builder), options_(options) {}

  error_code Read(ondemand::value value, Part part) {
    ondemand::json_type type;
    if (const error_code error = value.type().get(type)) return error;
    switch (type) {
      case ondemand::json_type::array: return ReadList(value, part);
      case ondemand::json_type::object: return ReadMap(value, part);
      case ondemand::json_type::string: return ReadString(value);
      default: return ReadWord(value);
    }
  }

 private:
  error_code ReadList(ondemand::value value, Part part) {
    if (builder_.depth() == DocumentBuilder::kDepthMax) return simdjson::DEPTH_ERROR;
    ondemand::array list;
    if (const error_code error = value.get_array().get(list)) return error;
    builder_.Begin(Kind::kList);
    for (auto element : list) {
      ondemand::value item;
      if (const error_code error = element.get(item)) return error;
      if (const error_code error = Read(item, part.Element())) return error;
    }
    builder_.End();
    return simdjson::SUCCESS;
  }

  error_code ReadMap(ondemand::value value, Part part) {
    if (builder_.depth() == DocumentBuilder::kDepthMax) return simdjson::DEPTH_ERROR;
    ondemand::object map;
    if (const error_code error = value.get_object().get(map)) return error;
    builder_.Begin(Kind::kMap);
    for (auto member : map) {
      ondemand::field field;
      if (const error_code error = std::move(member).get(field)) return error;
      std::string_view name;
      if (const error_code error = field.unescaped_key().get(name)) return error;
      const std::optional<Part> member_part = part.Member(name, options_);
      if (!member_part) continue;
      builder_.Key(name);
      if (const error_code error = Read(field.value(), *member_part)) return error;
    }
    builder_.End();
    return simdjson::SUCCESS;
  }

  error_code ReadString(ondemand::value value) {
    std::string_view text;
    if (const error_code error = value.get_string().get(text)) return error;
    builder_.Scalar(Kind::kString, text);
    return simdjson::SUCCESS;
  }

  error_code ReadWord(ondemand::value value) {
    const std::string_view token = Token(value);
    if (token == "null") {
      builder_.Scalar(Kind::kNull, {});
    } else if (token == "true" || token == "false") {
      builder_.Scalar(Kind::kBool, token);
    } else if (IsNumber(token)) {
      builder_.Scalar(Kind::kNumber, token);
    } else {
      return simdjson::TAPE_ERROR;
    }
    return simdjson::SUCCESS;
  }

  DocumentBuilder& builder_;
  const wire::ReadOptions& options_;
};

Error At(std::string_view text, size_t offset, std::string_view reason) {
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(offset), '\n');
  return {Code::kInvalid, fmt::format("line {}: {}", line, reason)};
}

// No UTF-8 sequence spans a line break, so the lines can be checked one by one.
size_t FindInvalidUtf8(std::string_view text) {
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (!simdjson::validate_utf8(text.data() + begin, end - begin)) return begin;
    begin = end + 1;
  }
  return 0;
}

Error Explain(std::string_view text, error_code error, size_t offset) {
  switch (error) {
    case simdjson::UTF8_ERROR: return At(text, FindInvalidUtf8(text), "the text is not valid UTF-8");
    case simdjson::UNCLOSED_STRING: return {Code::kInvalid, "a string is not closed: a '\"' is missing"};
    case simdjson::UNESCAPED_CHARS: return {Code::kInvalid, "a string holds a line break or control character"};
    case simdjson::MEMALLOC: return {Code::kLimit, "not enough memory for the JSON document"};
    case simdjson::DEPTH_ERROR:
      return At(text, offset, fmt::format("nested deeper than {} levels", DocumentBuilder::kDepthMax));
    case simdjson::STRING_ERROR: return At(text, offset, "a string has an invalid escape sequence");
    default: break;
  }
  if (offset >= text.size()) return At(text, text.size(), "the JSON document ends too early");
  std::string near;
  AppendQuoted(near, text.substr(offset, std::min(text.find_first_of("\r\n", offset) - offset, size_t{20})));
  return At(text, offset, fmt::format("invalid JSON near {}", near));
}

// The document inside a list of its own. So a scalar needs no path of its own, and what follows the document
// is seen as a missing comma, a second element or bytes after the list.
simdjson::padded_string Wrap(std::string_view text) {
  simdjson::padded_string wrapped(text.size() + 2);
  if (wrapped.data() == nullptr) return wrapped;
  wrapped.data()[0] = '[';
  std::memcpy(wrapped.data() + 1, text.data(), text.size());
  wrapped.data()[text.size() + 1] = ']';
  return wrapped;
}

error_code ReadWrapped(ondemand::document& document, Part part, const wire::ReadOptions& options,
                       DocumentBuilder& builder) {
  ondemand::array list;
  if (const error_code error = document.get_array().get(list)) return error;
  size_t count = 0;
  for (auto element : list) {
    ondemand::value value;
    if (const error_code error = element.get(value)) return error;
    if (++count > 1) return simdjson::TRAILING_CONTENT;
    if (const error_code error = Reader(builder, options).Read(value, part)) return error;
  }
  if (count == 0) return simdjson::EMPTY;
  const char* rest = nullptr;
  const bool ended = document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
  return ended ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
}

constexpr size_t kSmall = size_t{64} << 10;

Result<Document> Parse(std::string_view text, Part part, const wire::ReadOptions& options) {
  if (text.size() > DocumentBuilder::kInputMax) return Fail(Code::kLimit, "the JSON document is larger than 2 GiB");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (std::ranges::all_of(text, IsSpace)) return Invalid("the JSON document is empty");

  const simdjson::padded_string wrapped = Wrap(text);
  if (wrapped.data() == nullptr) return std::unexpected(Explain(text, simdjson::MEMALLOC, 0));
  // To make a parser costs as much as to read a small document; after a large one it would hold too much.
  static thread_local ondemand::parser kept;
  ondemand::parser own;
  ondemand::parser& parser = text.size() <= kSmall ? kept : own;
  ondemand::document document;
  if (const error_code error = parser.iterate(wrapped).get(document)) {
    return std::unexpected(Explain(text, error, text.size()));
  }
  DocumentBuilder builder;
  builder.Reserve(text.size());
  if (const error_code error = ReadWrapped(document, part, options, builder)) {
    const char* place = nullptr;
    if (document.current_location().get(place) != simdjson::SUCCESS) place = wrapped.data() + wrapped.size();
    const auto offset = std::max<ptrdiff_t>(place - wrapped.data() - 1, 0);
    return std::unexpected(Explain(text, error, std::min(static_cast<size_t>(offset), text.size())));
  }
  return builder.Finish();
}

}  // namespace

Result<Document> ParseJson(std::string_view text) { return Parse(text, {}, {}); }

Result<Document> wire::ParseJsonObject(std::string_view text, const Message& message, const ReadOptions& options) {
  std::string scratch;
  if (!simdjson::validate_utf8(text.data(), text.size())) text = AsUtf8(text, scratch);
  return Parse(text, {&message}, options);
}

}  // namespace berth::api
