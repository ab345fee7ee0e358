// SPDX-License-Identifier: Apache-2.0
#include "client/request/request_url.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::client {
namespace {

// "http://user@host:80", "/path?query" and what follows a '#'.
struct Split {
  std::string_view origin;
  std::string_view target;
};

Split SplitUrl(std::string_view url) {
  url = url.substr(0, url.find('#'));
  const size_t scheme = url.find("://");
  if (scheme == url.npos) return {{}, url};
  const size_t path = std::min(url.find_first_of("/?", scheme + 3), url.size());
  return {url.substr(0, path), url.substr(path)};
}

std::string Encode(std::string_view target) {
  std::string encoded = target.starts_with('/') ? "" : "/";
  for (const char c : target) {
    const bool plain = c > ' ' && c < 0x7f && !std::string_view("\"<>\\^`{|}").contains(c);
    plain ? void(encoded += c)
          : void(fmt::format_to(std::back_inserter(encoded), "%{:02X}", static_cast<unsigned char>(c)));
  }
  return encoded;
}

}  // namespace

Result<RequestUrl> ParseRequestUrl(std::string_view url) {
  const auto [origin, target] = SplitUrl(url);
  const std::string_view scheme = origin.substr(0, origin.find(':'));
  if (scheme != "http" && scheme != "https") {
    return Invalid(fmt::format("unsupported protocol scheme \"{}\"", scheme));
  }
  if (origin.ends_with("://")) return Invalid("http: no Host in request URL");
  RequestUrl parsed;
  parsed.endpoint = BERTH_TRY(net::ParseEndpoint(origin));
  parsed.target = Encode(target);
  return parsed;
}

std::string ResolveLocation(std::string_view url, std::string_view location) {
  const auto [origin, target] = SplitUrl(url);
  if (!SplitUrl(location).origin.empty()) return std::string(location);
  if (location.starts_with("//")) return fmt::format("{}:{}", origin.substr(0, origin.find(':')), location);
  if (location.starts_with('/')) return fmt::format("{}{}", origin, location);
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string_view kept = location.starts_with('?') ? path : path.substr(0, path.rfind('/') + 1);
  return fmt::format("{}{}{}", origin, kept.empty() ? "/" : kept, location);
}

}  // namespace berth::client
