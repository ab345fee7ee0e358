// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/scheduler/flags/go_values.h"
#include "base/text.h"

namespace berth::scheduler_app {
namespace {

// Reads one record; a quoted field may contain line ends.
class RecordReader {
 public:
  explicit RecordReader(std::string_view text) : text_(text) {}

  Result<std::vector<std::string>> Read() {
    SkipEmptyLines();
    if (at_ == text_.size()) return Invalid("EOF");
    first_line_ = line_;
    std::vector<std::string> fields;
    do {
      fields.push_back(BERTH_TRY(AtByte('"') ? ReadQuoted() : ReadPlain()));
    } while (TakeByte(','));
    return fields;
  }

 private:
  bool AtByte(char byte) const { return at_ < text_.size() && text_[at_] == byte; }
  bool AtLineEnd() const { return at_ == text_.size() || AtByte('\n') || text_.substr(at_).starts_with("\r\n"); }
  bool TakeByte(char byte) {
    if (!AtByte(byte)) return false;
    ++at_;
    return true;
  }
  size_t Column() const { return at_ - line_start_ + 1; }

  void SkipEmptyLines() {
    while (at_ < text_.size() && AtLineEnd()) EndLine();
  }

  void EndLine() {
    TakeByte('\r');
    TakeByte('\n');
    ++line_;
    line_start_ = at_;
  }

  std::unexpected<Error> Fail(size_t column, std::string_view what) const {
    const std::string place = fmt::format("parse error on line {}, column {}: {}", line_, column, what);
    return Invalid(line_ == first_line_ ? place : fmt::format("record on line {}; {}", first_line_, place));
  }

  Result<std::string> ReadPlain() {
    std::string field;
    while (!AtLineEnd() && !AtByte(',')) {
      if (AtByte('"')) return Fail(Column(), "bare \" in non-quoted-field");
      field += text_[at_++];
    }
    return field;
  }

  Result<std::string> ReadQuoted() {
    constexpr std::string_view kBadQuote = "extraneous or missing \" in quoted-field";
    std::string field;
    ++at_;
    while (at_ < text_.size()) {
      if (AtByte('\n') || text_.substr(at_).starts_with("\r\n")) {
        EndLine();
        field += '\n';
      } else if (!TakeByte('"')) {
        field += text_[at_++];
      } else if (TakeByte('"')) {
        field += '"';
      } else if (AtLineEnd() || AtByte(',')) {
        return field;
      } else {
        return Fail(Column() - 1, kBadQuote);
      }
    }
    return Fail(Column(), kBadQuote);
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t first_line_ = 1;
  size_t line_start_ = 0;
};

bool NeedsQuotes(std::string_view field) {
  if (field.empty()) return false;
  return field == "\\." || field.find_first_of(",\"\r\n") != std::string_view::npos ||
         Trim(field).data() != field.data();
}

}  // namespace

Result<std::vector<std::string>> SplitCsv(std::string_view text) {
  if (text.empty()) return std::vector<std::string>();
  return RecordReader(text).Read();
}

std::string JoinCsv(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    if (&value != &values.front()) text += ',';
    if (!NeedsQuotes(value)) {
      text += value;
      continue;
    }
    text += '"';
    for (const char c : value) text.append(c == '"' ? 2 : 1, c);
    text += '"';
  }
  return text;
}

}  // namespace berth::scheduler_app
