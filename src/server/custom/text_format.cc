// SPDX-License-Identifier: Apache-2.0
#include "server/custom/text_format.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "api/parts/selector.h"
#include "api/typed/go_base64.h"
#include "api/wire/timestamp.h"
#include "base/ascii.h"
#include "base/text.h"
#include "base/time.h"
#include "cel/network.h"
#include "cel/regex.h"
#include "cel/url.h"
#include "server/model/value_rules.h"

namespace berth::server {
namespace {

// Those that are a matter of their letters alone.
const cel::Regex* FindPattern(std::string_view format) {
  static const std::map<std::string_view, cel::Regex> kPatterns = [] {
    std::map<std::string_view, cel::Regex> patterns;
    const auto add = [&](std::string_view name, std::string_view pattern) {
      if (Result<cel::Regex> regex = cel::Regex::Compile(pattern)) patterns.emplace(name, *std::move(regex));
    };
    add("uuid", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
    add("uuid3", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
    add("uuid4", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
    add("uuid5", "(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$");
    add("bsonobjectid", "^[0-9a-fA-F]{24}$");
    add("hexcolor", "^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$");
    add("rgbcolor", R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*)"
                    R"((0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)");
    add("ssn", R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)");
    add("date", R"(^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$)");
    add("email", R"(^[^@\s]+@[^@\s]+$)");
    add("mac",
        "^([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){5}|"
        R"([0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2})$)");
    // One label, or several of which the last consists of letters.
    add("hostname", R"(^([\p{L}\p{S}0-9](-?[\p{L}\p{S}0-9]{0,62})?|)"
                    R"(([\p{L}\p{S}0-9]([-\p{L}\p{S}0-9]{0,61}[\p{L}\p{S}0-9])?\.)+\p{L}{2,63})$)");
    add("isbn10", "^[0-9]{9}[0-9X]$");
    add("isbn13", "^[0-9]{13}$");
    // By issuer: Visa, Mastercard, Discover, American Express, Diners Club, JCB, UnionPay.
    add("creditcard",
        "^(4[0-9]{12}([0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|"
        "6(011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}|3(0[0-5]|[68][0-9])[0-9]{11}|(2131|1800|35[0-9]{3})[0-9]{11}|"
        "6[27][0-9]{14})$");
    return patterns;
  }();
  const auto found = kPatterns.find(format);
  return found == kPatterns.end() ? nullptr : &found->second;
}

// Without the characters that people put between digits.
std::string Without(std::string_view text, std::string_view characters) {
  std::string plain(text);
  std::erase_if(plain, [&](char c) { return characters.find(c) != std::string_view::npos; });
  return plain;
}

bool IsIsbn10(std::string_view text) {
  const std::string digits = Without(text, " \t-");
  if (!FindPattern("isbn10")->Matches(digits)) return false;
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += (i + 1) * (digits[i] == 'X' ? 10 : digits[i] - '0');
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string digits = Without(text, " \t-");
  if (!FindPattern("isbn13")->Matches(digits)) return false;
  int sum = 0;
  for (int i = 0; i < 13; ++i) sum += (i % 2 == 0 ? 1 : 3) * (digits[i] - '0');
  return sum % 10 == 0;
}

bool IsCreditCard(std::string_view text) {
  std::string digits(text);
  std::erase_if(digits, [](char c) { return c < '0' || c > '9'; });
  if (!FindPattern("creditcard")->Matches(digits)) return false;
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const int digit = digits[digits.size() - 1 - i] - '0';
    sum += i % 2 == 0 ? digit : digit * 2 / 10 + digit * 2 % 10;
  }
  return sum % 10 == 0;
}

// Labels of at most 63 bytes.
bool HasShortLabels(std::string_view text) {
  constexpr size_t kLabelMax = 63;
  return std::ranges::all_of(Split(text, '.'), [](std::string_view label) { return label.size() <= kLabelMax; });
}

}  // namespace

std::optional<Duration> ReadDurationFormat(std::string_view text) {
  if (const Result<Duration> duration = ParseDuration(text)) return *duration;
  // Otherwise whatever can be found of numbers with a unit, such as 1 day or 2 weeks.
  struct Unit {
    std::string_view prefix;       // Of words of any length;
    std::string_view short_forms;  // or exactly one of these.
    int64_t seconds_nanos;
  };
  static constexpr int64_t kSecond = 1'000'000'000;
  static constexpr Unit kUnits[] = {{"nano", " ns ", 1},
                                    {"micro", " us µs ", 1000},
                                    {"milli", " ms ", 1'000'000},
                                    {"sec", " s ", kSecond},
                                    {"min", " m ", 60 * kSecond},
                                    {"hour", " h hr ", 3600 * kSecond},
                                    {"day", " d ", 24 * 3600 * kSecond},
                                    {"week", " w wk ", 7 * 24 * 3600 * kSecond}};
  static const cel::Regex kPart = *cel::Regex::Compile(R"(\d+\s*[A-Za-zµ]+)");
  uint64_t nanos = 0;
  bool has_unit = false;
  for (const std::string_view part : kPart.FindAll(text, -1)) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc()) return std::nullopt;
    std::string word = Lower(std::string_view(end, part.data() + part.size()));
    word.erase(0, word.find_first_not_of(" \t\n\f\r"));
    for (const Unit& unit : kUnits) {
      if (!word.starts_with(unit.prefix) && unit.short_forms.find(" " + word + " ") == std::string_view::npos) continue;
      has_unit = true;
      nanos += static_cast<uint64_t>(number) * static_cast<uint64_t>(unit.seconds_nanos);
    }
  }
  return has_unit ? std::optional(Duration{static_cast<int64_t>(nanos)}) : std::nullopt;
}

bool HasTextFormat(std::string_view text, std::string_view format) {
  std::string name(format);
  std::erase(name, '-');
  if (name == "isbn10") return IsIsbn10(text);
  if (name == "isbn13") return IsIsbn13(text);
  if (name == "isbn") return IsIsbn10(text) || IsIsbn13(text);
  if (name == "creditcard") return IsCreditCard(text);
  if (const cel::Regex* const pattern = FindPattern(name)) {
    return pattern->Matches(text) && (name != "hostname" || (text.size() <= 255 && HasShortLabels(text)));
  }
  if (name == "datetime") return api::wire::ParseTimestamp(text).has_value();
  if (name == "ipv4") return IpFamily(text) == 4;
  if (name == "ipv6") return IpFamily(text) == 6;
  if (name == "byte") return api::DecodeGoBase64(text).has_value();
  if (name == "cidr") return cel::Cidr::Parse(text).has_value();
  if (name == "uri") return cel::Url::ParseRequest(text).has_value();
  if (name == "duration") return ReadDurationFormat(text).has_value();
  if (name == "k8sshortname") return CheckDnsLabel(text).empty();
  if (name == "k8slongname") return api::ValidateDnsSubdomain(text).empty();
  return true;
}

}  // namespace berth::server
