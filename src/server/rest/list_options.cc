// SPDX-License-Identifier: Apache-2.0
#include "server/rest/list_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/document/field_error.h"
#include "base/ascii.h"
#include "base/base64.h"

namespace berth::server {
namespace {

std::optional<int64_t> ParseInt(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Refusal InvalidOptions(std::string field, std::string_view detail) {
  FieldErrors errors;
  errors.Forbidden(std::move(field), detail);
  return Invalid("meta.k8s.io", "ListOptions", "", std::move(errors));
}

Outcome<void> CheckMatch(const ListOptions& options, std::string_view version, std::string_view match) {
  if (options.initial_events) {
    if (!options.watch) {
      return InvalidOptions("sendInitialEvents", "sendInitialEvents is forbidden for list");
    }
    if (match != "NotOlderThan") {
      return InvalidOptions("resourceVersionMatch",
                            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    return {};
  }
  if (match.empty()) return {};
  if (options.watch)
    return InvalidOptions("resourceVersionMatch",
                          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  if (version.empty()) {
    return InvalidOptions("resourceVersionMatch",
                          "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (!options.continues.empty()) {
    return InvalidOptions("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided");
  }
  if (match == "Exact" && version == "0") {
    return InvalidOptions("resourceVersionMatch",
                          "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
  if (match != "Exact" && match != "NotOlderThan") {
    FieldErrors errors;
    errors.NotSupported("resourceVersionMatch", match, {"Exact", "NotOlderThan", ""});
    return Invalid("meta.k8s.io", "ListOptions", "", std::move(errors));
  }
  return {};
}

// A key must lead nowhere but to the objects that are listed.
bool IsClean(std::string_view key) {
  while (true) {
    const std::string_view part = key.substr(0, key.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    if (part.size() == key.size()) return true;
    key.remove_prefix(part.size() + 1);
  }
}

// Where Go says that such a text is wrong.
std::optional<size_t> IllegalByte(std::string_view url_form) {
  const auto is_legal = [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_'; };
  const auto illegal = std::ranges::find_if_not(url_form, is_legal);
  if (illegal != url_form.end()) return static_cast<size_t>(illegal - url_form.begin());
  return url_form.size() % 4 == 1 ? std::optional(url_form.size() - 1) : std::nullopt;
}

// Base64 that needs no escapes in a URL.
std::string ToUrlForm(std::string text) {
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  text.erase(std::min(text.find('='), text.size()));
  return text;
}

std::string FromUrlForm(std::string_view url_form) {
  std::string text(url_form);
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

}  // namespace

Outcome<std::optional<int64_t>> ParseIntParameter(const Query& query, std::string_view name) {
  if (!query.Has(name)) return std::optional<int64_t>();
  const std::string_view text = query.Get(name);
  std::string_view digits = text;
  if (digits.starts_with('+') && digits.size() > 1 && IsDigit(digits[1])) digits.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_number = error != std::errc::invalid_argument && end == digits.data() + digits.size();
  if (is_number && error == std::errc()) return value;
  return BadRequest(fmt::format("strconv.ParseInt: parsing {}: {}", api::GoQuote(text),
                                is_number ? "value out of range" : "invalid syntax"));
}

Outcome<ListOptions> ParseListOptions(const Query& query) {
  ListOptions options;
  options.watch = query.IsSet("watch");
  options.bookmarks = query.IsSet("allowWatchBookmarks");
  options.initial_events = query.IsSet("sendInitialEvents");
  options.continues = query.Get("continue");
  options.limit = BERTH_TRY(ParseIntParameter(query, "limit")).value_or(0);
  options.timeout_seconds = BERTH_TRY(ParseIntParameter(query, "timeoutSeconds"));
  const std::string_view version = query.Get("resourceVersion");
  const std::string_view match = query.Get("resourceVersionMatch");
  BERTH_CHECK_OK(CheckMatch(options, version, match));
  if (match == "Exact") options.match = ListOptions::Match::kExact;
  if (match == "NotOlderThan") options.match = ListOptions::Match::kNotOlderThan;
  if (version.empty()) return options;
  options.revision = ParseInt(version);
  if (options.revision && *options.revision >= 0) return options;
  const std::string problem = fmt::format(
      "resourceVersion: Invalid value: \"{0}\": strconv.ParseUint: parsing \"{0}\": invalid syntax", version);
  if (options.watch) return std::unexpected(StatusError{.code = 500, .message = problem});
  return BadRequest("invalid resource version: " + problem);
}

std::string FormatContinue(const ContinueToken& token) {
  const Json tree{
      {"v", Json::String("meta.k8s.io/v1")}, {"rv", Json::Int(token.revision)}, {"start", Json::String(token.key)}};
  return ToUrlForm(EncodeBase64(tree.ToText()));
}

Outcome<ContinueToken> ParseContinue(std::string_view text) {
  const auto refuse = [](std::string_view why) {
    return BadRequest(fmt::format("invalid continue token: continue key is not valid: {}", why));
  };
  if (const auto at = IllegalByte(text)) return refuse(fmt::format("illegal base64 data at input byte {}", *at));
  const std::optional<std::string> decoded = DecodeBase64(FromUrlForm(text));
  if (!decoded) return refuse("illegal base64 data");
  const Result<Json> tree = ParseTree(*decoded);
  if (!tree) return refuse(tree.error().message);
  if (const std::string& version = (*tree)["v"].text(); version != "meta.k8s.io/v1") {
    return refuse("server does not recognize this encoded version " + version);
  }
  const std::optional<int64_t> revision = (*tree)["rv"].AsInt();
  if (!revision || *revision == 0) {
    return refuse("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  const std::string& start = (*tree)["start"].text();
  if (start.empty()) return refuse("encoded start key empty (version meta.k8s.io/v1)");
  const std::string key = start.substr(start.starts_with('/') ? 1 : 0);
  if (!IsClean(key)) return refuse(start);
  return ContinueToken{.revision = std::max(*revision, ContinueToken::kAnyRevision), .key = key};
}

}  // namespace berth::server
