// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/flag_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/document/field_error.h"
#include "app/scheduler/flags/go_values.h"
#include "base/assert.h"

namespace berth::scheduler_app {
namespace {

std::string Normalized(std::string_view name) {
  std::string normalized(name);
  std::ranges::replace(normalized, '_', '-');
  return normalized;
}

std::string Take(std::span<const std::string>& rest) {
  const std::string& first = rest.front();
  rest = rest.subspan(1);
  return first;
}

}  // namespace

void FlagSet::BeginSection(std::string title, bool is_upstream) {
  sections_.push_back({.title = std::move(title), .is_upstream = is_upstream, .flags = {}});
}

void FlagSet::Add(std::string name, FlagBinding binding, std::string usage, char shorthand) {
  BERTH_ASSERT(!sections_.empty() && Find(name) == nullptr);
  std::string default_text = binding.text();
  Flag flag{.name = name,
            .shorthand = shorthand,
            .binding = std::move(binding),
            .usage = std::move(usage),
            .default_text = std::move(default_text)};
  sections_.back().flags.emplace(std::move(name), std::move(flag));
}

bool FlagSet::Changed(std::string_view name) const {
  for (const FlagSection& section : sections_) {
    if (const auto it = section.flags.find(name); it != section.flags.end()) return it->second.changed;
  }
  BERTH_ASSERT(false);
  return false;
}

std::map<std::string_view, const Flag*> FlagSet::ByName() const {
  std::map<std::string_view, const Flag*> flags;
  for (const FlagSection& section : sections_) {
    for (const auto& [name, flag] : section.flags) flags.emplace(name, &flag);
  }
  return flags;
}

Flag* FlagSet::Find(std::string_view name) {
  for (FlagSection& section : sections_) {
    if (const auto it = section.flags.find(name); it != section.flags.end()) return &it->second;
  }
  return nullptr;
}

Flag* FlagSet::FindShorthand(char shorthand) {
  for (FlagSection& section : sections_) {
    for (auto& [name, flag] : section.flags) {
      if (flag.shorthand != 0 && flag.shorthand == shorthand) return &flag;
    }
  }
  return nullptr;
}

Result<void> FlagSet::Set(Flag& flag, std::string_view value) {
  const Result<void> set = flag.binding.set(value);
  flag.changed = flag.changed || set.has_value();
  if (set) return {};
  const std::string name = flag.shorthand == 0 ? "--" + flag.name : fmt::format("-{}, --{}", flag.shorthand, flag.name);
  return Invalid(
      fmt::format("invalid argument {} for \"{}\" flag: {}", api::GoQuote(value), name, set.error().message));
}

Result<void> FlagSet::ParseLong(std::string_view argument, Arguments& rest) {
  const std::string_view body = argument.substr(2);
  if (body.starts_with('-') || body.starts_with('=')) return Invalid(fmt::format("bad flag syntax: {}", argument));
  const size_t equals = body.find('=');
  const std::string_view name = body.substr(0, equals);
  Flag* flag = Find(Normalized(name));
  if (flag == nullptr) return Invalid(fmt::format("unknown flag: --{}", name));
  if (equals != std::string_view::npos) return Set(*flag, body.substr(equals + 1));
  if (!flag->binding.if_bare.empty()) return Set(*flag, flag->binding.if_bare);
  if (rest.empty()) return Invalid(fmt::format("flag needs an argument: --{}", name));
  return Set(*flag, Take(rest));
}

Result<void> FlagSet::ParseShort(std::string_view letters, Arguments& rest) {
  while (!letters.empty()) {
    const std::string_view from_here = letters;
    const char letter = letters.front();
    letters.remove_prefix(1);
    Flag* flag = FindShorthand(letter);
    if (flag == nullptr) {
      return Invalid(fmt::format("unknown shorthand flag: {} in -{}", GoQuoteByte(letter), from_here));
    }
    if (letters.size() > 1 && letters.front() == '=') return Set(*flag, letters.substr(1));
    if (!flag->binding.if_bare.empty()) {
      BERTH_CHECK_OK(Set(*flag, flag->binding.if_bare));
      continue;
    }
    if (!letters.empty()) return Set(*flag, letters);
    if (rest.empty()) {
      return Invalid(fmt::format("flag needs an argument: {} in -{}", GoQuoteByte(letter), from_here));
    }
    return Set(*flag, Take(rest));
  }
  return {};
}

Result<std::vector<std::string>> FlagSet::Parse(std::span<const std::string> arguments) {
  std::vector<std::string> others;
  while (!arguments.empty()) {
    const std::string argument = Take(arguments);
    if (argument == "--") {
      others.insert(others.end(), arguments.begin(), arguments.end());
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      others.push_back(argument);
    } else if (argument[1] == '-') {
      BERTH_CHECK_OK(ParseLong(argument, arguments));
    } else {
      BERTH_CHECK_OK(ParseShort(std::string_view(argument).substr(1), arguments));
    }
  }
  return others;
}

}  // namespace berth::scheduler_app
