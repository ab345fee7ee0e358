// SPDX-License-Identifier: Apache-2.0
#include "server/model/value_rules.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "api/parts/name_validation.h"
#include "api/parts/selector.h"
#include "base/ascii.h"

namespace berth::server {
namespace {

constexpr size_t kSubdomainLengthMax = 253;
constexpr size_t kPortNameLengthMax = 15;

bool AllOf(std::string_view text, bool (*is)(char)) { return !text.empty() && std::ranges::all_of(text, is); }

std::string TooLong(size_t length_max) { return fmt::format("must be no more than {} characters", length_max); }

// Whether dot-separated parts all begin and end with a letter or digit, but for one '_' in front.
bool IsSubdomainWithUnderscore(std::string_view text) {
  for (;;) {
    const size_t dot = text.find('.');
    std::string_view part = text.substr(0, dot);
    if (part.starts_with('_')) part.remove_prefix(1);
    const auto is_end = [](char c) { return IsLower(c) || IsDigit(c); };
    if (part.empty() || !is_end(part.front()) || !is_end(part.back())) return false;
    if (!std::ranges::all_of(part, [&](char c) { return is_end(c) || c == '-' || c == '_'; })) return false;
    if (dot == text.npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool HasLeadingZeros(std::string_view ipv4) {
  for (size_t i = 0; i + 1 < ipv4.size(); ++i) {
    if (ipv4[i] == '0' && (i == 0 || ipv4[i - 1] == '.') && IsDigit(ipv4[i + 1])) return true;
  }
  return false;
}

// Four decimal numbers up to 255, zeros in front allowed.
bool IsSloppyIpv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    int number = 0;
    size_t digits = 0;
    for (; digits < text.size() && IsDigit(text[digits]); ++digits) {
      number = number * 10 + (text[digits] - '0');
      if (number > 255) return false;
    }
    if (digits == 0) return false;
    text.remove_prefix(digits);
    if (part == 3) return text.empty();
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
  }
  return false;
}

}  // namespace

std::string InBytes(std::string problem) {
  constexpr std::string_view kCharacters = " characters";
  if (problem.starts_with("must be no more than ") && problem.ends_with(kCharacters)) {
    problem.replace(problem.size() - kCharacters.size(), kCharacters.size(), " bytes");
  }
  return problem;
}

Problems CheckDnsLabel(std::string_view value) { return api::ValidateDnsLabel(value); }

Problems CheckDns1035Label(std::string_view value) {
  constexpr size_t kLabelLengthMax = 63;
  Problems problems;
  if (value.size() > kLabelLengthMax) problems.push_back(TooLong(kLabelLengthMax));
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool is_label = !value.empty() && is_lower(value.front()) && value.back() != '-' &&
                        std::ranges::all_of(value, [&](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
  if (!is_label) {
    problems.emplace_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
        "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation "
        "is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

Problems CheckDnsSubdomainWithUnderscore(std::string_view value) {
  Problems problems;
  if (value.size() > kSubdomainLengthMax) problems.push_back(TooLong(kSubdomainLengthMax));
  if (!IsSubdomainWithUnderscore(value)) {
    problems.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must "
        "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')");
  }
  return problems;
}

Problems CheckPortName(std::string_view value) {
  Problems problems;
  if (value.size() > kPortNameLengthMax) problems.push_back(TooLong(kPortNameLengthMax));
  if (!AllOf(value, [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; })) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::ranges::none_of(value, IsLower)) problems.emplace_back("must contain at least one letter (a-z)");
  if (value.find("--") != value.npos) problems.emplace_back("must not contain consecutive hyphens");
  if (value.starts_with('-') || value.ends_with('-')) problems.emplace_back("must not begin or end with a hyphen");
  return problems;
}

Problems CheckPortNumber(int64_t value) {
  if (value >= 1 && value <= 65535) return {};
  return {RangeText(1, 65535)};
}

Problems CheckEnvironmentName(std::string_view value) {
  if (value.empty()) return {"environment variable name must be non-empty"};
  if (std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~' && c != '='; })) return {};
  return {"a valid environment variable name must consist only of printable ASCII characters other than '='"};
}

Problems CheckConfigKey(std::string_view value) {
  Problems problems;
  if (value.size() > kSubdomainLengthMax) problems.push_back(TooLong(kSubdomainLengthMax));
  if (!AllOf(value, [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; })) {
    problems.emplace_back(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or "
        "'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
  }
  if (value == "." || value == "..") {
    problems.push_back(fmt::format("must not be '{}'", value));
  } else if (value.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
  return problems;
}

Problems CheckHeaderName(std::string_view value) {
  if (AllOf(value, [](char c) { return IsAlphanumeric(c) || c == '-'; })) return {};
  return {
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for "
      "validation is '[-A-Za-z0-9]+')"};
}

Problems CheckPercent(std::string_view value) {
  if (value.ends_with('%') && AllOf(value.substr(0, value.size() - 1), IsDigit)) return {};
  return {
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
      "validation is '[0-9]+%')"};
}

int IpFamily(std::string_view value) {
  if (IsSloppyIpv4(value)) return 4;
  std::array<unsigned char, sizeof(in6_addr)> address;
  return inet_pton(AF_INET6, std::string(value).c_str(), address.data()) == 1 ? 6 : 0;
}

Problems CheckIp(std::string_view value) {
  const int family = IpFamily(value);
  if (family == 0) return {"must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"};
  Problems problems;
  if (family == 4 && HasLeadingZeros(value)) problems.emplace_back("must not have leading 0s");
  if (family == 6) {
    in6_addr address{};
    inet_pton(AF_INET6, std::string(value).c_str(), &address);
    if (IN6_IS_ADDR_V4MAPPED(&address)) problems.emplace_back("must not be an IPv4-mapped IPv6 address");
  }
  return problems;
}

Problems CheckUnixId(int64_t value) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (value >= 0 && value <= kMax) return {};
  return {RangeText(0, kMax)};
}

std::string RangeText(int64_t low, int64_t high) {
  return fmt::format("must be between {} and {}, inclusive", low, high);
}

}  // namespace berth::server
