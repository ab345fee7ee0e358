// SPDX-License-Identifier: Apache-2.0
#include "server/access/token_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "net/sha256.h"

namespace berth::server {
namespace {

// Reads records of comma-separated fields by Go's rules: a field may stand in quotes, then a quote is written twice,
// and a line break may stand in it too. Empty lines are passed over.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}

  size_t line() const { return line_; }

  // Nothing at the end.
  Result<std::optional<std::vector<std::string>>> Next() {
    while (rest_.starts_with('\n') || rest_.starts_with("\r\n")) TakeLineBreak();
    if (rest_.empty()) return std::nullopt;
    std::vector<std::string> fields;
    do {
      fields.push_back(BERTH_TRY(rest_.starts_with('"') ? Quoted() : Plain()));
    } while (TakeComma());
    TakeLineBreak();
    return fields;
  }

 private:
  bool TakeComma() {
    if (!rest_.starts_with(',')) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void TakeLineBreak() {
    if (rest_.empty()) return;
    rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : 1);
    ++line_;
  }
  bool IsAtEnd() const {
    return rest_.empty() || rest_.front() == ',' || rest_.front() == '\n' || rest_.starts_with("\r\n") || rest_ == "\r";
  }

  Result<std::string> Plain() {
    std::string field;
    for (; !IsAtEnd(); rest_.remove_prefix(1)) {
      if (rest_.front() == '"') return Invalid(fmt::format("line {}: bare \" in non-quoted field", line_));
      field += rest_.front();
    }
    if (rest_ == "\r") rest_ = {};
    return field;
  }

  Result<std::string> Quoted() {
    std::string field;
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"' && !rest_.starts_with('"')) {
        if (rest_ == "\r") rest_ = {};
        if (!IsAtEnd()) return Invalid(fmt::format("line {}: extraneous or missing \" in quoted-field", line_));
        return field;
      }
      if (c == '"') rest_.remove_prefix(1);
      if (c == '\n') ++line_;
      field += c;
    }
    return Invalid(fmt::format("line {}: extraneous or missing \" in quoted-field", line_));
  }

  std::string_view rest_;
  size_t line_ = 1;
};

}  // namespace

Result<TokenFile> TokenFile::Parse(std::string_view csv) {
  TokenFile file;
  CsvReader reader(csv);
  while (true) {
    const size_t line = reader.line();
    const std::optional<std::vector<std::string>> record = BERTH_TRY(reader.Next());
    if (!record) return file;
    if (record->size() < 3) {
      return Invalid(fmt::format("line {}: must have at least 3 columns (token, user name, user uid), found {}", line,
                                 record->size()));
    }
    if (record->front().empty()) continue;
    User user{.name = (*record)[1], .uid = (*record)[2], .groups = {}, .extra = {}};
    if (record->size() > 3) {
      for (const std::string_view group : Split((*record)[3], ',')) user.groups.emplace_back(group);
    }
    file.users_[net::Sha256(record->front())] = std::move(user);
  }
}

const User* TokenFile::Find(std::string_view token) const {
  if (users_.empty()) return nullptr;
  const auto found = users_.find(net::Sha256(token));
  return found == users_.end() ? nullptr : &found->second;
}

}  // namespace berth::server
