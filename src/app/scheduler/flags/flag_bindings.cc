// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/flag_bindings.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "api/document/field_error.h"
#include "api/parts/quantity.h"
#include "app/scheduler/flags/go_values.h"
#include "app/scheduler/flags/versions.h"
#include "base/text.h"

namespace berth::scheduler_app {
namespace {

// A setter that parses into `value`.
template <class Value, class Parse>
auto Assign(Value& value, Parse parse) {
  return [&value, parse](std::string_view text) -> Result<void> {
    auto parsed = parse(text);
    if (!parsed) return std::unexpected(std::move(parsed).error());
    value = static_cast<Value>(*std::move(parsed));
    return {};
  };
}

// A setter for a list: the first value replaces the default.
template <class List, class Parse>
auto Extend(List& list, Parse parse) {
  return [&list, parse, replaced = std::make_shared<bool>(false)](std::string_view text) -> Result<void> {
    auto parsed = parse(text);
    if (!parsed) return std::unexpected(std::move(parsed).error());
    if (!*replaced) list.clear();
    *replaced = true;
    list.insert(list.end(), parsed->begin(), parsed->end());
    return {};
  };
}

Result<std::string> ParseIp(std::string_view text) {
  const std::string trimmed(Trim(text));
  std::array<char, INET6_ADDRSTRLEN> printed{};
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, trimmed.c_str(), &four) == 1) {
    return inet_ntop(AF_INET, &four, printed.data(), printed.size());
  }
  if (inet_pton(AF_INET6, trimmed.c_str(), &six) == 1) {
    const char* shown = inet_ntop(AF_INET6, &six, printed.data(), printed.size());
    constexpr std::string_view kMapped = "::ffff:";
    return IN6_IS_ADDR_V4MAPPED(&six) ? shown + kMapped.size() : shown;
  }
  return Invalid(fmt::format("failed to parse IP: {}", api::GoQuote(text)));
}

Result<std::vector<int32_t>> ParseInt32s(std::string_view text) {
  std::vector<int32_t> values;
  for (const std::string_view part : Split(text, ',')) {
    values.push_back(static_cast<int32_t>(BERTH_TRY(ParseGoInt(part, 32))));
  }
  return values;
}

Result<std::vector<ModuleVerbosity>> ParseModules(std::string_view text) {
  constexpr uint64_t kVerbosityMax = INT32_MAX;
  std::vector<ModuleVerbosity> modules;
  for (const std::string_view item : Split(text, ',')) {
    if (item.empty()) continue;
    const std::vector<std::string_view> parts = Split(item, '=');
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) {
      return Invalid(fmt::format("{} does not have the pattern=N format", api::GoQuote(item)));
    }
    const Result<uint64_t> level = ParseGoUint(parts[1], kVerbosityMax);
    if (!level) {
      return Invalid(fmt::format("parsing verbosity in {}: {}", api::GoQuote(item), level.error().message));
    }
    modules.push_back({.pattern = std::string(parts[0]), .verbosity = static_cast<uint32_t>(*level)});
  }
  return modules;
}

Result<std::vector<SniCertificate>> ParseCertificate(std::string_view text) {
  SniCertificate certificate;
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view names = Trim(text.substr(colon + 1));
    if (names.empty()) return Invalid("empty names list is not allowed");
    for (const std::string_view name : Split(names, ',')) certificate.names.emplace_back(Trim(name));
  }
  const std::vector<std::string_view> files = Split(text.substr(0, colon), ',');
  if (files.size() != 2) return Invalid("expected comma separated certificate and key file paths");
  certificate.cert_file = Trim(files[0]);
  certificate.key_file = Trim(files[1]);
  return std::vector{certificate};
}

std::string CertificateText(const SniCertificate& certificate) {
  std::string text = certificate.cert_file + "," + certificate.key_file;
  if (!certificate.names.empty()) text += fmt::format(":{}", fmt::join(certificate.names, ","));
  return text;
}

Result<std::map<std::string, std::string>> ParseStringMap(std::string_view text) {
  const auto equals = std::ranges::count(text, '=');
  std::vector<std::string> pairs;
  if (equals == 1) {
    const size_t begin = std::min(text.find_first_not_of('"'), text.size());
    pairs.emplace_back(text.substr(begin, text.find_last_not_of('"') + 1 - begin));
  } else if (equals > 1) {
    pairs = BERTH_TRY(SplitCsv(text));
  } else {
    pairs.emplace_back(text);
  }
  std::map<std::string, std::string> map;
  for (const std::string& pair : pairs) {
    const size_t at = pair.find('=');
    if (at == std::string::npos) return Invalid(fmt::format("{} must be formatted as key=value", pair));
    map[pair.substr(0, at)] = pair.substr(at + 1);
  }
  return map;
}

std::string GatesText(const GatesByComponent& gates) {
  std::vector<std::string> pairs;
  for (const auto& [component, values] : gates) {
    for (const std::string& value : values) pairs.push_back(fmt::format("{}:{}", component, value));
  }
  return fmt::format("{}", fmt::join(pairs, ","));
}

}  // namespace

FlagBinding BindString(std::string& value) {
  const auto set = [&value](std::string_view text) -> Result<void> {
    value = text;
    return {};
  };
  return {.type = "string", .set = set, .text = [&value] { return value; }, .if_bare = ""};
}

FlagBinding BindBool(bool& value) {
  const auto text = [&value] { return std::string(value ? "true" : "false"); };
  return {.type = "bool", .set = Assign(value, ParseGoBool), .text = text, .if_bare = "true"};
}

FlagBinding BindInt(int64_t& value) {
  const auto parse = [](std::string_view text) { return ParseGoInt(text, 64); };
  return {
      .type = "int", .set = Assign(value, parse), .text = [&value] { return std::to_string(value); }, .if_bare = ""};
}

FlagBinding BindInt32(int32_t& value) {
  const auto parse = [](std::string_view text) { return ParseGoInt(text, 32); };
  return {
      .type = "int32", .set = Assign(value, parse), .text = [&value] { return std::to_string(value); }, .if_bare = ""};
}

FlagBinding BindFloat(float& value) {
  return {.type = "float32",
          .set = Assign(value, ParseGoFloat),
          .text = [&value] { return FormatGoFloat(value); },
          .if_bare = ""};
}

FlagBinding BindDuration(Duration& value) {
  return {.type = "duration",
          .set = Assign(value, ParseDuration),
          .text = [&value] { return FormatDuration(value); },
          .if_bare = ""};
}

FlagBinding BindIp(std::string& value) {
  const auto set = [assign = Assign(value, ParseIp)](std::string_view text) {
    return text.empty() ? Result<void>() : assign(text);
  };
  return {.type = "ip", .set = set, .text = [&value] { return value; }, .if_bare = ""};
}

FlagBinding BindQuantity(int64_t& value) {
  const auto shown = std::make_shared<std::string>(std::to_string(value));
  const auto set = [&value, shown](std::string_view text) -> Result<void> {
    const api::Quantity quantity = BERTH_TRY(api::Quantity::Parse(text));
    value = quantity.Value();
    *shown = quantity.String();
    return {};
  };
  return {.type = "quantity", .set = set, .text = [shown] { return *shown; }, .if_bare = ""};
}

FlagBinding BindLevel(uint32_t& value) {
  const auto parse = [](std::string_view text) { return ParseGoUint(text, INT32_MAX); };
  return {
      .type = "Level", .set = Assign(value, parse), .text = [&value] { return std::to_string(value); }, .if_bare = ""};
}

FlagBinding BindStrings(std::vector<std::string>& value) {
  return {.type = "stringSlice",
          .set = Extend(value, SplitCsv),
          .text = [&value] { return fmt::format("[{}]", JoinCsv(value)); },
          .if_bare = ""};
}

FlagBinding BindInt32s(std::vector<int32_t>& value) {
  return {.type = "int32Slice",
          .set = Extend(value, ParseInt32s),
          .text = [&value] { return fmt::format("[{}]", fmt::join(value, ",")); },
          .if_bare = ""};
}

FlagBinding BindStringMap(std::map<std::string, std::string>& value) {
  const auto set = [&value, replaced = std::make_shared<bool>(false)](std::string_view text) -> Result<void> {
    const auto parsed = BERTH_TRY(ParseStringMap(text));
    if (!*replaced) value.clear();
    *replaced = true;
    for (const auto& [key, mapped] : parsed) value[key] = mapped;
    return {};
  };
  const auto text = [&value] {
    std::vector<std::string> pairs;
    for (const auto& [key, mapped] : value) pairs.push_back(key + "=" + mapped);
    return fmt::format("[{}]", JoinCsv(pairs));
  };
  return {.type = "stringToString", .set = set, .text = text, .if_bare = ""};
}

FlagBinding BindModules(std::vector<ModuleVerbosity>& value) {
  const auto text = [&value] {
    std::vector<std::string> items;
    for (const ModuleVerbosity& module : value) items.push_back(fmt::format("{}={}", module.pattern, module.verbosity));
    return fmt::format("{}", fmt::join(items, ","));
  };
  return {.type = "pattern=N,...", .set = Extend(value, ParseModules), .text = text, .if_bare = ""};
}

FlagBinding BindCertificates(std::vector<SniCertificate>& value) {
  const auto text = [&value] {
    std::vector<std::string> texts;
    for (const SniCertificate& certificate : value) texts.push_back(CertificateText(certificate));
    return fmt::format("[{}]", fmt::join(texts, ";"));
  };
  return {.type = "namedCertKey", .set = Extend(value, ParseCertificate), .text = text, .if_bare = ""};
}

FlagBinding BindGates(GatesByComponent& value) {
  const auto set = [&value](std::string_view text) -> Result<void> {
    for (const std::string_view pair : Split(text, ',')) {
      if (pair.empty()) continue;
      const size_t colon = pair.find(':');
      const bool has_component = colon != std::string_view::npos;
      const std::string component(has_component ? Trim(pair.substr(0, colon)) : "");
      value[component].emplace_back(Trim(pair.substr(has_component ? colon + 1 : 0)));
    }
    return {};
  };
  return {.type = "colonSeparatedMultimapStringString",
          .set = set,
          .text = [&value] { return GatesText(value); },
          .if_bare = ""};
}

FlagBinding BindPolicyCompat(config::PolicyCompat& value) {
  const auto text = [&value] {
    switch (value) {
      case config::PolicyCompat::kV116: return "v1.16";
      case config::PolicyCompat::kV121: return "v1.21";
      case config::PolicyCompat::kV122: return "v1.22";
    }
    return "";
  };
  return {.type = "release", .set = Assign(value, config::ParsePolicyCompat), .text = text, .if_bare = ""};
}

FlagBinding BindVersion(std::string& value) {
  const auto set = [&value](std::string_view text) -> Result<void> {
    if (text.starts_with('v')) BERTH_CHECK_OK(CheckReportedVersion(text));
    if (text.starts_with('v') || text == "raw") {
      value = text;
    } else {
      value = BERTH_TRY(ParseGoBool(text)) ? "true" : "false";
    }
    return {};
  };
  return {.type = "version", .set = set, .text = [&value] { return value; }, .if_bare = "true"};
}

}  // namespace berth::scheduler_app
