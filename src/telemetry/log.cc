// SPDX-License-Identifier: Apache-2.0
#include "telemetry/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "telemetry/log_format.h"

namespace berth::telemetry {
namespace {

struct Pattern {
  std::string glob;
  int level = 0;
};

struct State {
  std::atomic<int> verbosity = 0;  // Relaxed, as log_loudest.

  std::mutex mutex;  // Guards what follows, and whole lines on the streams.
  LogOptions options;
  std::vector<Pattern> patterns;
  std::string held_back;
};

State& Global() {
  // Never destroyed: threads may log while the process ends.
  static State* const state = new State;
  return *state;
}

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // There is nowhere to complain.
    text.remove_prefix(static_cast<size_t>(written));
  }
}

// REQUIRES: the mutex.
void FlushHeldBack(State& state) {
  WriteAll(state.options.info_fd, state.held_back);
  state.held_back.clear();
}

Result<std::vector<Pattern>> ParsePatterns(std::string_view text) {
  std::vector<Pattern> patterns;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (item.empty()) continue;
    const size_t equals = item.find('=');
    const std::optional<int> level = equals == item.npos ? std::nullopt : ParseLogLevel(item.substr(equals + 1));
    if (equals == 0 || !level) return Invalid("syntax error: expect comma-separated list of filename=N");
    if (*level < 0) return Invalid("negative value for vmodule level");
    if (*level > 0) patterns.push_back({std::string(item.substr(0, equals)), *level});
  }
  return patterns;
}

// REQUIRES: the mutex.
void Publish(State& state) {
  int loudest = state.options.verbosity;
  for (const Pattern& pattern : state.patterns) loudest = std::max(loudest, pattern.level);
  state.verbosity.store(state.options.verbosity, std::memory_order_relaxed);
  internal::log_loudest.store(loudest, std::memory_order_relaxed);
}

bool EnabledByFile(State& state, int level, std::string_view file) {
  const std::string_view module = LogModule(file);
  const std::lock_guard lock(state.mutex);
  for (const Pattern& pattern : state.patterns) {
    if (LogGlobMatches(pattern.glob, module)) return level <= pattern.level;
  }
  return false;
}

LogLine LineFor(internal::Severity severity, int level, const LogMessage& message,
                std::initializer_list<LogValue> values) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {.severity = severity,
          .level = level,
          .time = {std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()},
          .process = ::getpid(),
          .file = message.where.file_name(),
          .line = message.where.line(),
          .message = message.text,
          .values = values};
}

void Write(const LogLine& line) {
  State& state = Global();
  const std::lock_guard lock(state.mutex);
  const std::string text = state.options.format == LogFormat::kText ? LogText(line) : LogJson(line);
  if (!state.options.split_stream || line.severity == internal::Severity::kError) {
    WriteAll(state.options.error_fd, text);
    return;
  }
  state.held_back += text;
  if (state.held_back.size() >= state.options.info_buffer_bytes) FlushHeldBack(state);
}

}  // namespace

LogValue::LogValue(double value) : LogValue(Kind::kRaw, fmt::format("{}", value)) {}

Result<void> ConfigureLog(const LogOptions& options) {
  std::vector<Pattern> patterns = BERTH_TRY(ParsePatterns(options.vmodule));
  State& state = Global();
  const std::lock_guard lock(state.mutex);
  FlushHeldBack(state);
  state.options = options;
  state.patterns = options.format == LogFormat::kText ? std::move(patterns) : std::vector<Pattern>{};
  Publish(state);
  return {};
}

void SetLogVerbosity(int verbosity) {
  State& state = Global();
  const std::lock_guard lock(state.mutex);
  state.options.verbosity = verbosity;
  Publish(state);
}

int LogVerbosity() { return Global().verbosity.load(std::memory_order_relaxed); }

void FlushLog() {
  State& state = Global();
  const std::lock_guard lock(state.mutex);
  FlushHeldBack(state);
}

bool internal::LogEnabledIn(const char* file, int level) {
  State& state = Global();
  return level <= state.verbosity.load(std::memory_order_relaxed) || EnabledByFile(state, level, file);
}

void internal::WriteLog(Severity severity, int level, const LogMessage& message,
                        std::initializer_list<LogValue> values) {
  Write(LineFor(severity, level, message, values));
}

void LogWarning(LogMessage message) {
  LogLine line = LineFor(internal::Severity::kWarning, 0, message, {});
  line.quoted = false;
  Write(line);
}

}  // namespace berth::telemetry
