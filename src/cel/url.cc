// SPDX-License-Identifier: Apache-2.0
#include "cel/url.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/document/field_error.h"
#include "base/ascii.h"
#include "cel/network.h"

namespace berth::cel {
namespace {

enum class UrlPart { kPath, kHost, kZone, kUser, kQuery, kFragment };

bool ShouldEscape(char c, UrlPart part) {
  if (IsAlphanumeric(c) || std::string_view("-._~").find(c) != std::string_view::npos) return false;
  std::string_view allowed;
  switch (part) {
    case UrlPart::kPath: allowed = "$&+,/:;=@"; break;
    case UrlPart::kHost:
    case UrlPart::kZone: allowed = "!\"$&'()*+,:;<=>[]"; break;
    case UrlPart::kUser: allowed = "$&+,;="; break;
    case UrlPart::kQuery: break;
    case UrlPart::kFragment: allowed = "!$&()*+,/:;=?@"; break;
  }
  return allowed.find(c) == allowed.npos;
}

std::unexpected<Error> BadEscape(std::string_view text) {
  return Invalid("invalid URL escape " + api::GoQuote(text.substr(0, 3)));
}

Result<std::string> Unescape(std::string_view text, UrlPart part) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      const std::string_view rest = text.substr(i);
      if (rest.size() < 3 || HexDigit(rest[1]) < 0 || HexDigit(rest[2]) < 0) return BadEscape(rest);
      const int byte = HexDigit(rest[1]) * 16 + HexDigit(rest[2]);
      const bool is_percent = rest.starts_with("%25");
      if (part == UrlPart::kHost && byte < 0x80 && !is_percent) return BadEscape(rest);
      if (part == UrlPart::kZone && !is_percent && byte != ' ' &&
          ShouldEscape(static_cast<char>(byte), UrlPart::kHost)) {
        return BadEscape(rest);
      }
      out += static_cast<char>(byte);
      i += 2;
    } else if (c == '+') {
      out += part == UrlPart::kQuery ? ' ' : '+';
    } else {
      const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
      if ((part == UrlPart::kHost || part == UrlPart::kZone) && is_ascii && ShouldEscape(c, part)) {
        return Invalid("invalid character " + api::GoQuote(text.substr(i, 1)) + " in host name");
      }
      out += c;
    }
  }
  return out;
}

std::string Escape(std::string_view text, UrlPart part) {
  std::string out;
  for (const char c : text) {
    if (ShouldEscape(c, part)) {
      out += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    } else {
      out += c;
    }
  }
  return out;
}

bool IsEncoded(std::string_view text, UrlPart part) {
  return std::ranges::all_of(text, [part](char c) {
    return std::string_view("!$&'()*+,;=:@[]%").find(c) != std::string_view::npos || !ShouldEscape(c, part);
  });
}

// The text as it was written, if it is a right way to write the part.
std::string Written(const std::string& plain, const std::string& raw, UrlPart part) {
  if (!raw.empty() && IsEncoded(raw, part) && Unescape(raw, part) == plain) return raw;
  return Escape(plain, part);
}

Result<void> SetWritten(std::string_view text, UrlPart part, std::string& plain, std::string& raw) {
  plain = BERTH_TRY(Unescape(text, part));
  if (Escape(plain, part) != text) raw = text;
  return {};
}

bool IsOptionalPort(std::string_view port) {
  return port.empty() || (port[0] == ':' && std::all_of(port.begin() + 1, port.end(), IsDigit));
}

Result<void> CheckPort(std::string_view port) {
  if (IsOptionalPort(port)) return {};
  return Invalid(fmt::format("invalid port {} after host", api::GoQuote(port)));
}

// [address] or [address]:port.
Result<std::string> ReadBracketedHost(std::string_view host) {
  const size_t close = host.rfind(']');
  if (close == host.npos) return Invalid("missing ']' in host");
  const std::string_view port = host.substr(close + 1);
  BERTH_CHECK_OK(CheckPort(port));
  const std::string_view name = host.substr(1, close - 1);
  const size_t zone = name.find("%25");
  std::string plain = BERTH_TRY(Unescape(name.substr(0, zone), UrlPart::kHost));
  if (zone != name.npos) plain += BERTH_TRY(Unescape(name.substr(zone), UrlPart::kZone));
  const Result<IpAddress> address = IpAddress::Parse(plain);
  if (!address) return Invalid("invalid host: " + address.error().message);
  if (address->is_v4) return Invalid("invalid IP-literal");
  return "[" + plain + "]" + std::string(port);
}

Result<std::string> ReadHost(std::string_view scheme, std::string_view host) {
  const size_t open = host.rfind('[');
  if (open == 0) return ReadBracketedHost(host);
  if (open != host.npos) return Invalid("invalid IP-literal");
  if (host.find(':') != host.npos) {
    const bool is_http = scheme == "http" || scheme == "https";
    BERTH_CHECK_OK(CheckPort(host.substr(is_http ? host.find(':') : host.rfind(':'))));
  }
  return Unescape(host, UrlPart::kHost);
}

Result<std::string> ReadUser(std::string_view user) {
  const bool is_fine = std::ranges::all_of(user, [](char c) {
    return IsAlphanumeric(c) || std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos;
  });
  if (!is_fine) return Invalid("net/url: invalid userinfo");
  const size_t colon = user.find(':');
  std::string escaped = Escape(BERTH_TRY(Unescape(user.substr(0, colon), UrlPart::kUser)), UrlPart::kUser);
  if (colon != user.npos) {
    escaped += ":" + Escape(BERTH_TRY(Unescape(user.substr(colon + 1), UrlPart::kUser)), UrlPart::kUser);
  }
  return escaped;
}

// Takes the scheme off the front of the text.
Result<std::string> TakeScheme(std::string_view& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsLetter(c) || (i > 0 && (IsDigit(c) || c == '+' || c == '-' || c == '.'))) continue;
    if (c != ':') break;
    if (i == 0) return Invalid("missing protocol scheme");
    std::string scheme = Lower(text.substr(0, i));
    text.remove_prefix(i + 1);
    return scheme;
  }
  return "";
}

Result<Url> ReadUrl(std::string_view text, bool is_request) {
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; })) {
    return Invalid("net/url: invalid control character in URL");
  }
  if (text.empty() && is_request) return Invalid("empty url");
  Url url;
  if (text == "*") {
    url.path = "*";
    return url;
  }
  std::string_view rest = text;
  url.scheme = BERTH_TRY(TakeScheme(rest));
  const size_t question = rest.find('?');
  url.has_empty_query = question != rest.npos && question + 1 == rest.size();
  if (question != rest.npos) url.query = rest.substr(question + 1);
  rest = rest.substr(0, question);

  if (!rest.starts_with('/')) {
    if (!url.scheme.empty()) {
      url.opaque = rest;
      return url;
    }
    if (is_request) return Invalid("invalid URI for request");
    if (rest.substr(0, rest.find('/')).find(':') != rest.npos) {
      return Invalid("first path segment in URL cannot contain colon");
    }
  }
  if (rest.starts_with("//") && (!url.scheme.empty() || (!is_request && !rest.starts_with("///")))) {
    std::string_view authority = rest.substr(2);
    const size_t slash = authority.find('/');
    rest = slash == authority.npos ? std::string_view() : authority.substr(slash);
    authority = authority.substr(0, slash);
    const size_t at = authority.rfind('@');
    url.host = BERTH_TRY(ReadHost(url.scheme, at == authority.npos ? authority : authority.substr(at + 1)));
    if (at != authority.npos) url.user = BERTH_TRY(ReadUser(authority.substr(0, at)));
  } else if (!url.scheme.empty() && rest.starts_with('/')) {
    url.has_no_host = true;
  }
  BERTH_CHECK_OK(SetWritten(rest, UrlPart::kPath, url.path, url.raw_path));
  return url;
}

std::unexpected<Error> BadUrl(std::string_view text, const Error& error) {
  return Invalid(fmt::format("parse {}: {}", api::GoQuote(text), error.message));
}

}  // namespace

Result<Url> Url::ParseRequest(std::string_view text) {
  Result<Url> url = ReadUrl(text, true);
  if (!url) return BadUrl(text, url.error());
  return url;
}

Result<Url> Url::Parse(std::string_view text) {
  const size_t hash = text.find('#');
  Result<Url> url = ReadUrl(text.substr(0, hash), false);
  if (!url) return BadUrl(text.substr(0, hash), url.error());
  if (hash == text.npos || hash + 1 == text.size()) return url;
  const Result<void> set = SetWritten(text.substr(hash + 1), UrlPart::kFragment, url->fragment, url->raw_fragment);
  if (!set) return BadUrl(text, set.error());
  return url;
}

std::string Url::Hostname() const {
  std::string_view name = host;
  const size_t colon = name.rfind(':');
  if (colon != name.npos && IsOptionalPort(name.substr(colon))) name = name.substr(0, colon);
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  return std::string(name);
}

std::string Url::Port() const {
  const size_t colon = host.rfind(':');
  if (colon == host.npos || !IsOptionalPort(std::string_view(host).substr(colon))) return {};
  return host.substr(colon + 1);
}

std::string Url::EscapedPath() const {
  if (path == "*" && raw_path.empty()) return "*";
  return Written(path, raw_path, UrlPart::kPath);
}

std::string Url::String() const {
  std::string text = scheme.empty() ? "" : scheme + ":";
  if (!opaque.empty()) {
    text += opaque;
  } else {
    const bool is_hostless = has_no_host && host.empty() && !user;
    if ((!scheme.empty() || !host.empty() || user) && !is_hostless) {
      if (!host.empty() || !path.empty() || user) text += "//";
      if (user) text += *user + "@";
      text += Escape(host, UrlPart::kHost);
    }
    const std::string escaped = EscapedPath();
    if (!escaped.empty() && escaped[0] != '/' && !host.empty()) text += '/';
    if (text.empty() && escaped.substr(0, escaped.find('/')).find(':') != std::string::npos) text += "./";
    text += escaped;
  }
  if (has_empty_query || !query.empty()) text += "?" + query;
  if (!fragment.empty()) text += "#" + Written(fragment, raw_fragment, UrlPart::kFragment);
  return text;
}

std::vector<std::pair<std::string, std::vector<std::string>>> Url::Query() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
  constexpr std::ptrdiff_t kParametersMax = 10000;  // Go's; with more it reads none.
  if (std::ranges::count(query, '&') >= kParametersMax) return values;
  std::string_view rest = query;
  while (!rest.empty()) {
    const size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    if (pair.empty() || pair.find(';') != pair.npos) continue;
    const size_t equals = pair.find('=');
    Result<std::string> key = Unescape(pair.substr(0, equals), UrlPart::kQuery);
    Result<std::string> value =
        Unescape(equals == pair.npos ? std::string_view() : pair.substr(equals + 1), UrlPart::kQuery);
    if (!key || !value) continue;
    const auto it = std::ranges::find(values, *key, [](const auto& entry) { return entry.first; });
    if (it != values.end()) {
      it->second.push_back(std::move(*value));
    } else {
      values.push_back({std::move(*key), {std::move(*value)}});
    }
  }
  return values;
}

}  // namespace berth::cel
