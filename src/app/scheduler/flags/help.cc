// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/document/field_error.h"
#include "app/scheduler/flags/go_values.h"
#include "app/scheduler/flags/scheduler_flags.h"
#include "base/text.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kAbout =
    "Berth's scheduler assigns pods to nodes, in place of kube-scheduler or beside it: it takes the same flags and "
    "the\n"
    "same configuration, makes the same decisions, and writes and serves the same things.";

constexpr std::string_view kSummary = "Schedules the pods of a cluster, with kube-scheduler's flags.";

constexpr size_t kWrappedIndent = 16;

constexpr std::string_view kFiles =
    "Files: /etc/default/berth-scheduler has the flags of the service berth-scheduler.service. The manual is in "
    "/usr/share/doc/berth.";

std::string_view ShownType(std::string_view type) {
  if (type == "bool") return "";
  return type == "stringSlice" ? "strings" : type;
}

// "  -v, --v Level" or "      --version version[=true]".
std::string Head(const Flag& flag) {
  std::string head = flag.shorthand == 0 ? "      " : fmt::format("  -{}, ", flag.shorthand);
  head += "--" + flag.name;
  if (const std::string_view type = ShownType(flag.binding.type); !type.empty()) head += fmt::format(" {}", type);
  if (!flag.binding.if_bare.empty() && flag.binding.type != "bool") head += fmt::format("[={}]", flag.binding.if_bare);
  return head;
}

bool IsZero(const Flag& flag) {
  const std::string& text = flag.default_text;
  if (flag.binding.type == "stringSlice") return text == "[]";
  return text.empty() || text == "0" || text == "0s" || text == "false";
}

std::string Description(const Flag& flag) {
  if (IsZero(flag)) return flag.usage;
  const bool quoted = flag.binding.type == "string";
  return fmt::format("{} (default {})", flag.usage, quoted ? api::GoQuote(flag.default_text) : flag.default_text);
}

// A line end and `indent` after each line but the last.
std::string Indented(std::string_view text, size_t indent) {
  return fmt::format("{}", fmt::join(Split(text, '\n'), "\n" + std::string(indent, ' ')));
}

std::string Wrapped(std::string_view text, size_t width) {
  std::string wrapped;
  for (const std::string_view line : Split(text, '\n')) {
    if (!wrapped.empty()) wrapped += '\n';
    size_t used = 0;
    for (const std::string_view word : Split(line, ' ')) {
      const bool fits = used == 0 || used + 1 + word.size() <= width;
      if (used > 0) wrapped += fits ? ' ' : '\n';
      used = fits && used > 0 ? used + 1 + word.size() : word.size();
      wrapped += word;
    }
  }
  return wrapped;
}

std::string SectionText(const FlagSection& section, size_t columns) {
  constexpr size_t kColumnsMin = 40;
  std::string text = fmt::format("\n{} flags:\n\n", section.title);
  size_t widest = 0;
  for (const auto& [name, flag] : section.flags) widest = std::max(widest, Head(flag).size());
  for (const auto& [name, flag] : section.flags) {
    if (columns >= kColumnsMin) {
      const std::string description = Wrapped(Description(flag), columns - kWrappedIndent);
      text += fmt::format("{}\n{:{}}{}\n", Head(flag), "", kWrappedIndent, Indented(description, kWrappedIndent));
    } else {
      const size_t indent = widest + 3;
      text += fmt::format("{:{}}{}\n", Head(flag), indent, Indented(Description(flag), indent));
    }
  }
  return text;
}

// What completion offers for the flag's value. Strings that are paths tell by their names.
std::string ValueOf(const Flag& flag) {
  const std::string_view type = ShownType(flag.binding.type);
  if (type != "string") return std::string(type);
  if (flag.name.ends_with("-dir")) return "DIR";
  constexpr std::string_view kPaths[] = {"file", "config", "config-to", "manifest", "record"};
  const bool is_path = std::ranges::any_of(kPaths, [&](std::string_view end) { return flag.name.ends_with(end); });
  return is_path ? "FILE" : "string";
}

}  // namespace

std::string UsageText(std::string_view program, const FlagSet& flags, size_t columns) {
  std::string text = fmt::format("Usage:\n  {} [flags]\n", program);
  for (const FlagSection& section : flags.sections()) text += SectionText(section, columns);
  return text;
}

std::string HelpText(std::string_view program, const FlagSet& flags, size_t columns) {
  return fmt::format("{}\n\n{}", kAbout, UsageText(program, flags, columns));
}

command_line::Command DescribeCommand() {
  FlagValues values;
  FlagSet flags;
  DefineFlags(flags, values);
  command_line::Command command;
  command.name = "scheduler";
  command.path = "berth scheduler";
  command.about = fmt::format("{}\n\n{}", kSummary, kAbout);
  command.notes = kFiles;
  for (const auto& [name, flag] : flags.ByName()) {
    command.flags.push_back({.name = flag->name,
                             .letter = flag->shorthand,
                             .value = ValueOf(*flag),
                             .help = flag->usage,
                             .default_value = IsZero(*flag) ? "" : flag->default_text});
  }
  return command;
}

}  // namespace berth::scheduler_app
