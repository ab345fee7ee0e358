// SPDX-License-Identifier: Apache-2.0
#include "cel/named_format.h"

#include <algorithm>

#include "api/parts/name_validation.h"
#include "api/parts/selector.h"
#include "base/ascii.h"
#include "cel/clock_time.h"
#include "cel/url.h"

namespace berth::cel {
namespace {

using Errors = std::vector<std::string>;

// A prefix of a name may end in a dash.
std::string WithoutTrailingDash(std::string_view name) {
  if (name.size() > 1 && name.ends_with('-')) return std::string(name.substr(0, name.size() - 2)) + "a";
  return std::string(name);
}

Errors CheckUri(std::string_view text) {
  const Result<Url> url = Url::ParseRequest(text);
  return url ? Errors() : Errors{url.error().message};
}

bool IsUuid(std::string_view text) {
  size_t i = 0;
  for (const size_t length : {8U, 4U, 4U, 4U, 12U}) {
    if (i > 0 && i < text.size() && text[i] == '-') ++i;
    for (size_t end = i + length; i < end; ++i) {
      if (i >= text.size() || !(IsDigit(text[i]) || (Lower(text[i]) >= 'a' && Lower(text[i]) <= 'f'))) return false;
    }
  }
  return i == text.size();
}

bool IsBase64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  return std::ranges::all_of(text, [](char c) { return IsAlphanumeric(c) || c == '+' || c == '/'; });
}

bool IsDate(std::string_view text) {
  return text.size() == 10 && ParseTimestamp(std::string(text) + "T00:00:00Z").has_value();
}

// A time such as 10:20:30.5z or 10:20:30+01:00, in lower case.
bool IsTimeOfDay(std::string_view text) {
  const auto two_digits = [&text](std::string_view max) {
    if (text.size() < 2 || !IsDigit(text[0]) || !IsDigit(text[1]) || text.substr(0, 2) > max) return false;
    text.remove_prefix(2);
    return true;
  };
  const auto skip = [&text](char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  };
  if (!two_digits("23") || !skip(':') || !two_digits("59") || !skip(':') || !two_digits("59")) return false;
  if (text.size() > 1 && IsDigit(text[1]) && text != "z" && !(text.size() == 6 && text[3] == ':')) {
    text.remove_prefix(SkipDigits(text, 1));  // Upstream's pattern takes any character for the point.
  }
  if (text == "z") return true;
  if (!skip('+') && !skip('-')) return false;
  return two_digits("99") && skip(':') && two_digits("99") && text.empty();
}

bool IsDateTime(std::string_view text) {
  if (text.size() < 4) return false;
  const std::string lower = Lower(text);
  const size_t t = lower.find('t');
  if (t == lower.npos || !IsDate(std::string_view(lower).substr(0, t))) return false;
  const std::string_view time = std::string_view(lower).substr(t + 1);
  return IsTimeOfDay(time.substr(0, time.find('t')));
}

Errors Unless(bool is_fine, std::string_view error) { return is_fine ? Errors() : Errors{std::string(error)}; }

constexpr NamedFormat kFormats[] = {
    {"dns1123Label", "DNS1123Label", 30, [](std::string_view s) { return api::ValidateDnsLabel(s); }},
    {"dns1123Subdomain", "DNS1123Subdomain", 60, [](std::string_view s) { return api::ValidateDnsSubdomain(s); }},
    {"dns1035Label", "DNS1035Label", 30, [](std::string_view s) { return api::ValidateDns1035Label(s); }},
    {"qualifiedName", "QualifiedName", 60, [](std::string_view s) { return api::ValidateQualifiedName(s); }},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", 30,
     [](std::string_view s) { return api::ValidateDnsLabel(WithoutTrailingDash(s)); }},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60,
     [](std::string_view s) { return api::ValidateDnsSubdomain(WithoutTrailingDash(s)); }},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", 30,
     [](std::string_view s) { return api::ValidateDns1035Label(WithoutTrailingDash(s)); }},
    {"labelValue", "LabelValue", 40, [](std::string_view s) { return api::ValidateLabelValue(s); }},
    {"uri", "URI", 1103, CheckUri},
    {"uuid", "uuid", 70, [](std::string_view s) { return Unless(IsUuid(s), "does not match the UUID format"); }},
    {"byte", "byte", 84, [](std::string_view s) { return Unless(IsBase64(s), "invalid base64"); }},
    {"date", "date", 71, [](std::string_view s) { return Unless(IsDate(s), "invalid date"); }},
    {"datetime", "datetime", 71, [](std::string_view s) { return Unless(IsDateTime(s), "invalid datetime"); }},
};

}  // namespace

std::span<const NamedFormat> NamedFormats() { return kFormats; }

const NamedFormat* FindNamedFormat(std::string_view id) {
  const auto it = std::ranges::find(kFormats, id, &NamedFormat::id);
  return it == std::end(kFormats) ? nullptr : it;
}

}  // namespace berth::cel
