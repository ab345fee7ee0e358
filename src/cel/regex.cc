// SPDX-License-Identifier: Apache-2.0
#include "cel/regex.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <string>

#include "api/document/utf8.h"
#include "base/ascii.h"

namespace berth::cel {
namespace {

// Groups without their names, which nothing here asks for: RE2 knows fewer ways to write them than Go, and refuses two
// of one name.
std::string WithoutNames(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest.size() > 1 && rest[0] == '\\') {
      out += pattern[i++];
    } else if (rest.starts_with("(?<") || rest.starts_with("(?P<")) {
      const size_t begin = rest.find('<') + 1;
      size_t end = begin;
      while (end < rest.size() && (IsAlphanumeric(rest[end]) || rest[end] == '_')) ++end;
      if (end > begin && end < rest.size() && rest[end] == '>') {
        out += '(';
        i += end;
        continue;
      }
    }
    out += pattern[i];
  }
  return out;
}

std::string_view GoError(re2::RE2::ErrorCode code) {
  using re2::RE2;
  switch (code) {
    case RE2::ErrorBadEscape: return "invalid escape sequence";
    case RE2::ErrorBadCharClass: return "invalid character class";
    case RE2::ErrorBadCharRange: return "invalid character class range";
    case RE2::ErrorMissingBracket: return "missing closing ]";
    case RE2::ErrorMissingParen: return "missing closing )";
    case RE2::ErrorUnexpectedParen: return "unexpected )";
    case RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize: return "invalid repeat count";
    case RE2::ErrorRepeatOp: return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8: return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture: return "invalid named capture";
    case RE2::ErrorPatternTooLarge: return "expression too large";
    default: return "regexp/syntax: internal error";
  }
}

}  // namespace

Regex::Regex(std::unique_ptr<re2::RE2> regex) : regex_(std::move(regex)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::Compile(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_unique<re2::RE2>(WithoutNames(pattern), options);
  if (!regex->ok()) {
    std::string_view argument = regex->error_arg();
    const re2::RE2::ErrorCode code = regex->error_code();
    if (code == re2::RE2::ErrorMissingParen || code == re2::RE2::ErrorUnexpectedParen) argument = pattern;
    if (code == re2::RE2::ErrorTrailingBackslash) argument = "";
    return Invalid(fmt::format("error parsing regexp: {}: `{}`", GoError(code), argument));
  }
  return Regex(std::move(regex));
}

bool Regex::Matches(std::string_view text) const {
  return regex_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::string_view Regex::Find(std::string_view text) const {
  re2::StringPiece match;
  if (!regex_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, &match, 1)) return {};
  return {match.data(), match.size()};
}

std::vector<std::string_view> Regex::FindAll(std::string_view text, int64_t count) const {
  std::vector<std::string_view> found;
  size_t position = 0;
  const char* last_end = nullptr;
  re2::StringPiece match;
  while (count != 0 && position <= text.size() &&
         regex_->Match(text, position, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
    const size_t end = static_cast<size_t>(match.data() - text.data()) + match.size();
    // An empty match next to the one before does not count, and the search goes on behind it.
    const bool counts = !match.empty() || match.data() != last_end;
    position = end;
    if (match.empty()) position += end < text.size() ? api::DecodeUtf8(text.substr(end)).size : 1;
    last_end = match.data() + match.size();
    if (!counts) continue;
    found.emplace_back(match.data(), match.size());
    if (count > 0) --count;
  }
  return found;
}

}  // namespace berth::cel
