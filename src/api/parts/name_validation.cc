// SPDX-License-Identifier: Apache-2.0
#include "api/parts/name_validation.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/parts/selector.h"
#include "base/ascii.h"

namespace berth::api {
namespace {

constexpr size_t kNameLengthMax = 63;
constexpr size_t kSubdomainLengthMax = 253;

constexpr std::string_view kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelValueRule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kDnsLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kDns1035LabelRule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and "
    "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')";

bool IsLowerAlphanumeric(char c) { return IsLower(c) || IsDigit(c); }
bool IsNameChar(char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool IsName(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), IsNameChar);
}

bool IsDnsLabel(std::string_view text) {
  return !text.empty() && text.front() != '-' && text.back() != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) { return IsLowerAlphanumeric(c) || c == '-'; });
}

bool IsSubdomain(std::string_view text) {
  for (;;) {
    const size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == text.npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// Upstream counts bytes everywhere, but says so only in its newer checks.
std::string TooLong(size_t length_max, std::string_view unit = "bytes") {
  return fmt::format("must be no more than {} {}", length_max, unit);
}

std::vector<std::string> CheckSubdomain(std::string_view name, std::string_view unit) {
  std::vector<std::string> errors;
  if (name.size() > kSubdomainLengthMax) errors.push_back(TooLong(kSubdomainLengthMax, unit));
  if (!IsSubdomain(name)) errors.emplace_back(kSubdomainRule);
  return errors;
}

}  // namespace

std::vector<std::string> ValidateDnsLabel(std::string_view name) {
  std::vector<std::string> errors;
  if (name.size() > kNameLengthMax) errors.push_back(TooLong(kNameLengthMax, "characters"));
  if (!IsDnsLabel(name)) errors.emplace_back(IsSubdomain(name) ? "must not contain dots" : kDnsLabelRule);
  return errors;
}

std::vector<std::string> ValidateDns1035Label(std::string_view name) {
  std::vector<std::string> errors;
  if (name.size() > kNameLengthMax) errors.push_back(TooLong(kNameLengthMax, "characters"));
  if (!IsDnsLabel(name) || !IsLower(name[0])) errors.emplace_back(kDns1035LabelRule);
  return errors;
}

std::vector<std::string> ValidateDnsSubdomain(std::string_view name) { return CheckSubdomain(name, "characters"); }

std::vector<std::string> ValidateLabelValue(std::string_view value) {
  std::vector<std::string> errors;
  if (value.size() > kNameLengthMax) errors.push_back(TooLong(kNameLengthMax));
  if (!value.empty() && !IsName(value)) errors.emplace_back(kLabelValueRule);
  return errors;
}

std::vector<std::string> ValidateQualifiedName(std::string_view name) {
  std::vector<std::string> errors;
  if (const size_t slash = name.find('/'); slash != name.npos) {
    const std::string_view prefix = name.substr(0, slash);
    name.remove_prefix(slash + 1);
    if (name.find('/') != name.npos) {
      return {fmt::format(
          "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')", kNameRule)};
    }
    if (prefix.empty()) {
      errors.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& error : CheckSubdomain(prefix, "bytes")) errors.push_back("prefix part " + error);
    }
  }
  if (name.empty()) {
    errors.emplace_back("name part must be non-empty");
  } else if (name.size() > kNameLengthMax) {
    errors.push_back("name part " + TooLong(kNameLengthMax));
  }
  if (!IsName(name)) errors.push_back(fmt::format("name part {}", kNameRule));
  return errors;
}

}  // namespace berth::api
