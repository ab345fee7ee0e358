// SPDX-License-Identifier: Apache-2.0
#include "cel/semver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "api/document/field_error.h"
#include "base/ascii.h"
#include "cel/numbers.h"

namespace berth::cel {
namespace {

bool IsDigits(std::string_view text) { return std::ranges::all_of(text, IsDigit); }
bool IsIdentifier(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return IsAlphanumeric(c) || c == '-'; });
}
bool HasLeadingZero(std::string_view text) { return text.size() > 1 && text[0] == '0'; }

Result<uint64_t> ReadVersionNumber(std::string_view text) {
  if (const std::optional<uint64_t> number = ParseGoUint(text)) return *number;
  return Invalid(fmt::format("strconv.ParseUint: parsing {}: {}", api::GoQuote(text),
                             text.empty() ? "invalid syntax" : "value out of range"));
}

Result<uint64_t> ReadPart(std::string_view text, std::string_view lower, std::string_view upper) {
  if (!IsDigits(text))
    return Invalid(fmt::format("Invalid character(s) found in {} number {}", lower, api::GoQuote(text)));
  if (HasLeadingZero(text))
    return Invalid(fmt::format("{} number must not contain leading zeroes {}", upper, api::GoQuote(text)));
  return ReadVersionNumber(text);
}

Result<Semver::Prerelease> ReadPrerelease(std::string_view text) {
  if (text.empty()) return Invalid("Prerelease is empty");
  if (IsDigits(text)) {
    if (HasLeadingZero(text)) {
      return Invalid(fmt::format("Numeric PreRelease version must not contain leading zeroes {}", api::GoQuote(text)));
    }
    return Semver::Prerelease{.text = {}, .number = BERTH_TRY(ReadVersionNumber(text)), .is_number = true};
  }
  if (!IsIdentifier(text))
    return Invalid(fmt::format("Invalid character(s) found in prerelease {}", api::GoQuote(text)));
  return Semver::Prerelease{.text = std::string(text), .number = 0, .is_number = false};
}

Result<void> CheckBuild(std::string_view text) {
  if (text.empty()) return Invalid("Build meta data is empty");
  if (!IsIdentifier(text))
    return Invalid(fmt::format("Invalid character(s) found in build meta data {}", api::GoQuote(text)));
  return {};
}

// Calls `read` for each part between dots, until one fails.
template <class Read>
Result<void> ForEachPart(std::string_view text, Read read) {
  for (;;) {
    const size_t dot = text.find('.');
    BERTH_CHECK_OK(read(text.substr(0, dot)));
    if (dot == text.npos) return {};
    text.remove_prefix(dot + 1);
  }
}

int Order(uint64_t left, uint64_t right) { return left < right ? -1 : left > right ? 1 : 0; }

int Order(const Semver::Prerelease& left, const Semver::Prerelease& right) {
  if (left.is_number != right.is_number) return left.is_number ? -1 : 1;
  if (left.is_number) return Order(left.number, right.number);
  const int order = left.text.compare(right.text);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

}  // namespace

Result<Semver> Semver::Parse(std::string_view text) {
  if (text.empty()) return Invalid("Version string empty");
  const size_t first = text.find('.');
  const size_t second = first == text.npos ? text.npos : text.find('.', first + 1);
  if (second == text.npos) return Invalid("No Major.Minor.Patch elements found");

  Semver version;
  version.text = text;
  version.major = BERTH_TRY(ReadPart(text.substr(0, first), "major", "Major"));
  version.minor = BERTH_TRY(ReadPart(text.substr(first + 1, second - first - 1), "minor", "Minor"));
  std::string_view rest = text.substr(second + 1);
  std::optional<std::string_view> build;
  std::optional<std::string_view> prerelease;
  if (const size_t plus = rest.find('+'); plus != rest.npos) {
    build = rest.substr(plus + 1);
    rest = rest.substr(0, plus);
  }
  if (const size_t dash = rest.find('-'); dash != rest.npos) {
    prerelease = rest.substr(dash + 1);
    rest = rest.substr(0, dash);
  }
  version.patch = BERTH_TRY(ReadPart(rest, "patch", "Patch"));
  if (prerelease) {
    const auto read = [&version](std::string_view part) -> Result<void> {
      version.prerelease.push_back(BERTH_TRY(ReadPrerelease(part)));
      return {};
    };
    BERTH_CHECK_OK(ForEachPart(*prerelease, read));
  }
  if (build) BERTH_CHECK_OK(ForEachPart(*build, CheckBuild));
  return version;
}

Result<Semver> Semver::ParseNormalized(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  while (parts.size() < 2 && text.find('.') != text.npos) {
    parts.emplace_back(text.substr(0, text.find('.')));
    text.remove_prefix(text.find('.') + 1);
  }
  parts.emplace_back(text);
  for (std::string& part : parts) {
    if (part.size() <= 1) continue;
    part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
    if (part.empty() || !IsDigit(part[0])) part.insert(0, 1, '0');
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos) {
    return Invalid("short version cannot contain PreRelease/Build meta data");
  }
  parts.resize(3, "0");
  return Parse(fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]));
}

int Semver::Compare(const Semver& other) const {
  for (const auto& [mine, theirs] : std::array<std::pair<uint64_t, uint64_t>, 3>{
           {{major, other.major}, {minor, other.minor}, {patch, other.patch}}}) {
    if (mine != theirs) return Order(mine, theirs);
  }
  // One without prerelease comes last; otherwise the longer of two that begin alike does.
  if (prerelease.empty() || other.prerelease.empty()) {
    return Order(prerelease.empty() ? 1 : 0, other.prerelease.empty() ? 1 : 0);
  }
  for (size_t i = 0; i < std::min(prerelease.size(), other.prerelease.size()); ++i) {
    if (const int order = Order(prerelease[i], other.prerelease[i]); order != 0) return order;
  }
  return Order(prerelease.size(), other.prerelease.size());
}

}  // namespace berth::cel
