// SPDX-License-Identifier: Apache-2.0
#include "telemetry/log_format.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <charconv>
#include <ctime>

#include "api/document/field_error.h"
#include "api/document/json_writer.h"

namespace berth::telemetry {
namespace {

constexpr char kLetters[] = {'I', 'W', 'E'};

std::string_view BaseName(std::string_view file) { return file.substr(file.rfind('/') + 1); }

// "queue/scheduling_queue.cc": the directory tells same names apart.
std::string_view WithDirectory(std::string_view file) {
  const size_t slash = file.rfind('/');
  if (slash == file.npos || slash == 0) return file;
  return file.substr(file.rfind('/', slash - 1) + 1);
}

void AppendHeader(std::string& out, const LogLine& line) {
  const time_t seconds = line.time.nanos / 1'000'000'000;
  std::tm local{};
  ::localtime_r(&seconds, &local);
  fmt::format_to(std::back_inserter(out), "{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:>7} {}:{}] ",
                 kLetters[static_cast<size_t>(line.severity)], local.tm_mon + 1, local.tm_mday, local.tm_hour,
                 local.tm_min, local.tm_sec, line.time.nanos % 1'000'000'000 / 1000, line.process, BaseName(line.file),
                 line.line);
}

// Text of several lines stays readable: each line after a tab, between =< and >.
void AppendTextValue(std::string& out, std::string_view text) {
  if (!text.contains('\n')) {
    out += '=';
    out += api::GoQuote(text);
    return;
  }
  out += "=<\n";
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    (out += '\t') += text.substr(0, end);
    out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += " >";
}

}  // namespace

std::string LogText(const LogLine& line) {
  std::string out;
  AppendHeader(out, line);
  if (line.quoted) {
    out += api::GoQuote(line.message);
  } else {
    out += line.message;
  }
  for (const LogValue* value = line.values.begin(); value != line.values.end(); value += 2) {
    (out += ' ') += value[0].text();
    if (value[1].is_text()) {
      AppendTextValue(out, value[1].text());
    } else {
      (out += '=') += value[1].text();
    }
  }
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

std::string LogJson(const LogLine& line) {
  api::JsonWriter json;
  json.BeginObject();
  // Milliseconds since the epoch, never with an exponent.
  json.Key("ts").Raw(fmt::format("{}.{:06}", line.time.nanos / 1'000'000, line.time.nanos % 1'000'000));
  json.Key("caller").String(fmt::format("{}:{}", WithDirectory(line.file), line.line));
  json.Key("msg").String(line.message);
  if (line.level != internal::kNoLevel) json.Key("v").Int(line.level);
  for (const LogValue* value = line.values.begin(); value != line.values.end(); value += 2) {
    json.Key(value[0].text());
    value[1].is_text() ? json.String(value[1].text()) : json.Raw(value[1].text());
  }
  return json.EndObject().Take() + '\n';
}

std::string_view LogModule(std::string_view file) {
  const std::string_view name = BaseName(file);
  return name.substr(0, name.rfind('.'));
}

bool LogGlobMatches(const std::string& glob, std::string_view module) {
  return ::fnmatch(glob.c_str(), std::string(module).c_str(), 0) == 0;
}

std::optional<int> ParseLogLevel(std::string_view text) {
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return level;
}

}  // namespace berth::telemetry
