// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/versions.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <regex>

#include "api/document/field_error.h"
#include "app/command_line/version.h"
#include "app/scheduler/flags/go_values.h"
#include "base/ascii.h"
#include "base/text.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kVersionedComponent = "kube";
constexpr MinorVersion kNewest{1, 37};
constexpr MinorVersion kOldest{1, 34};

struct ParsedVersion {
  std::vector<uint64_t> numbers;

  uint64_t Patch() const { return numbers.size() > 2 ? numbers[2] : 0; }
};

// The numbers with dots between them at the beginning of `text`; `extra` gets what follows.
std::string_view LeadingNumbers(std::string_view text, std::string_view& extra) {
  size_t end = 0;
  while (end < text.size() && (IsDigit(text[end]) || (text[end] == '.' && end > 0 && IsDigit(text[end - 1]) &&
                                                      end + 1 < text.size() && IsDigit(text[end + 1])))) {
    ++end;
  }
  extra = text.substr(end);
  return text.substr(0, end);
}

// Such as -rc.1+abc; either half may be missing.
bool IsPreReleaseAndBuild(std::string_view text) {
  static const std::regex kPattern(R"((-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?\s*)");
  return std::regex_match(text.begin(), text.end(), kPattern);
}

Result<ParsedVersion> Parse(std::string_view text, bool semantic) {
  std::string_view rest = text;
  while (!rest.empty() && std::string_view(" \t\n\f\r").contains(rest.front())) rest.remove_prefix(1);
  if (rest.starts_with('v')) rest.remove_prefix(1);
  std::string_view extra;
  const std::string_view numbers = LeadingNumbers(rest, extra);
  if (numbers.empty() || extra.contains('\n')) {
    return Invalid(fmt::format("could not parse {} as version", api::GoQuote(text)));
  }
  const std::vector<std::string_view> parts = Split(numbers, '.');
  if (semantic ? parts.size() != 3 : parts.size() < 2) {
    return Invalid(fmt::format("illegal version string {}", api::GoQuote(text)));
  }
  ParsedVersion version;
  for (const std::string_view part : parts) {
    if ((version.numbers.empty() || semantic) && part.starts_with('0') && part != "0") {
      return Invalid(
          fmt::format("illegal zero-prefixed version component {} in {}", api::GoQuote(part), api::GoQuote(text)));
    }
    const Result<uint64_t> number = ParseGoUint(part, UINT64_MAX);
    if (!number) {
      return Invalid(fmt::format("illegal non-numeric version component {} in {}: {}", api::GoQuote(part),
                                 api::GoQuote(text), number.error().message));
    }
    version.numbers.push_back(*number);
  }
  if (semantic && !IsPreReleaseAndBuild(extra)) {
    return Invalid(fmt::format("could not parse pre-release/metadata ({}) in version {}", extra, api::GoQuote(text)));
  }
  return version;
}

Result<ParsedVersion> Parse(std::string_view text) {
  Result<ParsedVersion> version = Parse(text, true);
  return version ? version : Parse(text, false);
}

std::string Joined(const ParsedVersion& version) { return fmt::format("{}", fmt::join(version.numbers, ".")); }

// The version for our component, if one is named.
Result<std::optional<MinorVersion>> VersionFor(const std::vector<std::string>& values) {
  std::map<std::string, ParsedVersion, std::less<>> versions;
  for (const std::string& value : values) {
    const size_t equals = value.find('=');
    const bool named = equals != std::string::npos;
    const std::string component(named ? Trim(std::string_view(value).substr(0, equals)) : kVersionedComponent);
    const std::string_view text = named ? Trim(std::string_view(value).substr(equals + 1)) : std::string_view(value);
    const ParsedVersion version = BERTH_TRY(Parse(text));
    if (version.Patch() != 0) {
      return Invalid(fmt::format("patch version not allowed, got: {}={}", component, Joined(version)));
    }
    const auto [it, added] = versions.emplace(component, version);
    if (!added) {
      return Invalid(
          fmt::format("duplicate version flag, {0}={1} and {0}={2}", component, Joined(it->second), Joined(version)));
    }
  }
  for (const auto& [component, version] : versions) {
    if (component != kVersionedComponent) return Invalid(fmt::format("component not registered: {}", component));
  }
  const auto it = versions.find(kVersionedComponent);
  if (it == versions.end()) return std::nullopt;
  return MinorVersion{it->second.numbers[0], it->second.numbers[1]};
}

}  // namespace

std::string ToText(MinorVersion version) { return fmt::format("{}.{}", version.major, version.minor); }

Result<EffectiveVersion> ResolveVersions(const std::vector<std::string>& emulated,
                                         const std::vector<std::string>& min_compatibility) {
  EffectiveVersion effective;
  if (const auto version = BERTH_TRY(VersionFor(emulated))) {
    effective.emulation = *version;
    const MinorVersion before{version->major, version->minor - (version->minor > 0 ? 1 : 0)};
    effective.min_compatibility = std::max(before, kOldest);
  }
  if (const auto version = BERTH_TRY(VersionFor(min_compatibility))) effective.min_compatibility = *version;
  return effective;
}

std::vector<std::string> CheckRanges(const EffectiveVersion& version) {
  std::vector<std::string> errors;
  if (version.emulation > kNewest || version.emulation < kOldest) {
    errors.push_back(fmt::format("emulation version {} is not between [{}, {}.0]", ToText(version.emulation),
                                 ToText(kOldest), ToText(kNewest)));
  }
  if (version.min_compatibility > version.emulation || version.min_compatibility < kOldest) {
    errors.push_back(fmt::format("minCompatibilityVersion version {} is not between [{}, {}]",
                                 ToText(version.min_compatibility), ToText(kOldest), ToText(version.emulation)));
  }
  return errors;
}

Result<void> CheckReportedVersion(std::string_view version) {
  if (version == kKubernetesVersion) return {};
  const ParsedVersion wanted = BERTH_TRY(Parse(version, true));
  if (Joined(wanted) == kKubernetesVersion.substr(1)) return {};
  return Invalid(fmt::format("version {} must match major/minor/patch of default version {}", api::GoQuote(version),
                             api::GoQuote(kKubernetesVersion)));
}

std::string VersionLine(std::string_view reported) {
  return fmt::format("Kubernetes {} (Berth {})", reported, app::Version());
}

std::string RawVersionLine(std::string_view reported) {
#if defined(__aarch64__)
  constexpr std::string_view kPlatform = "linux/arm64";
#else
  constexpr std::string_view kPlatform = "linux/amd64";
#endif
  return fmt::format(
      R"(version.Info{{Major:"1", Minor:"37", EmulationMajor:"", EmulationMinor:"", MinCompatibilityMajor:"", )"
      R"(MinCompatibilityMinor:"", GitVersion:{}, GitCommit:"", GitTreeState:"", BuildDate:"", GoVersion:"", )"
      R"(Compiler:"g++", Platform:"{}"}})",
      api::GoQuote(reported), kPlatform);
}

}  // namespace berth::scheduler_app
