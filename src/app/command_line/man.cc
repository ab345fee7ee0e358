// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/man.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>

#include "base/ascii.h"

namespace berth::command_line {
namespace {

// Text that groff prints as it is.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      default: out += c;
    }
  }
  return out;
}

// A line of text. One that begins with a dot would be a command.
std::string TextLine(std::string_view line) { return (line.starts_with('.') ? "\\&" : "") + Escaped(line) + "\n"; }

// Paragraphs, with indented lines as they are.
std::string Paragraphs(std::string_view text) {
  std::string out;
  bool is_kept = false;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part.begin(), part.end());
    if (const bool keeps = line.starts_with("  "); keeps != is_kept) {
      out += keeps ? ".nf\n" : ".fi\n";
      is_kept = keeps;
    }
    out += line.empty() ? ".PP\n" : TextLine(line);
  }
  return is_kept ? out + ".fi\n" : out;
}

// The lines of a text about a flag, each on its own.
std::string Lines(std::string_view text) {
  std::string out;
  for (const auto part : std::views::split(text, '\n')) {
    if (!out.empty()) out += ".br\n";
    out += TextLine(std::string_view(part.begin(), part.end()));
  }
  return out;
}

std::string FlagEntry(const Flag& flag) {
  std::string head = FlagHead(flag);
  head.erase(0, head.find_first_not_of(' '));
  std::string text = flag.help;
  if (!flag.default_value.empty()) text += fmt::format(" (default {})", flag.default_value);
  return fmt::format(".TP\n.B {}\n{}", Escaped(head), Lines(text));
}

// "berth-node-add" of "berth node add".
std::string PageName(std::string path) {
  std::ranges::replace(path, ' ', '-');
  return path;
}

std::string Upper(std::string text) {
  for (char& c : text) c = IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string PageText(const Command& command, std::string_view parent, const std::string& version) {
  const std::string name = PageName(command.path);
  std::string text =
      fmt::format(".TH \"{}\" 1 \"\" \"{}\" \"User Commands\"\n", Upper(Escaped(name)), Escaped(version));
  text += fmt::format(".SH NAME\n{} \\- {}\n", Escaped(name), Escaped(command.Summary()));
  text += fmt::format(".SH SYNOPSIS\n.B {}\n", Escaped(command.Usage()));
  text += ".SH DESCRIPTION\n" + Paragraphs(command.about);
  for (const Argument& argument : command.arguments) {
    text += fmt::format(".TP\n.I {}\n{}", Escaped(argument.name), Lines(argument.help));
  }
  if (!command.commands.empty()) text += ".SH COMMANDS\n";
  for (const Command& each : command.commands) {
    text += fmt::format(".TP\n.BR {} (1)\n{}", Escaped(PageName(each.path)), TextLine(each.Summary()));
  }
  if (!command.flags.empty()) text += ".SH OPTIONS\n";
  for (const Flag& flag : command.flags) text += FlagEntry(flag);
  if (!command.notes.empty()) text += ".SH NOTES\n" + Paragraphs(command.notes);
  if (!command.examples.empty()) text += ".SH EXAMPLES\n" + Paragraphs(command.examples);
  if (!parent.empty()) text += fmt::format(".SH SEE ALSO\n.BR {} (1)\n", Escaped(parent));
  return text;
}

void AddPages(const Command& command, std::string_view parent, const std::string& version,
              std::vector<ManPage>& pages) {
  const std::string name = PageName(command.path);
  pages.push_back({name + ".1", PageText(command, parent, version)});
  for (const Command& each : command.commands) AddPages(each, name, version, pages);
}

}  // namespace

std::vector<ManPage> ManPages(const Command& program, const std::string& version) {
  std::vector<ManPage> pages;
  AddPages(program, "", version, pages);
  return pages;
}

}  // namespace berth::command_line
