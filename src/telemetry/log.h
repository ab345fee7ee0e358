// SPDX-License-Identifier: Apache-2.0
// The log: one line per message on standard error, in the two formats that operators of Kubernetes know.
//
// Text is klog's (`I1115 14:53:56.123456   12345 core.cc:12] "Attempting to schedule pod" pod="default/web"`), JSON is
// that of Kubernetes components; log shippers parse both, so the format is fixed and no logging library is used. What
// is logged at a level above the verbosity costs one relaxed load, and its arguments are not evaluated. The state is
// global, as there is one standard error.
//
// Thread: any.

#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"
#include "base/time.h"

// Logs at `level` of verbosity: BERTH_LOG(4, "Pod added", "pod", name, "attempts", 3).
#define BERTH_LOG(level, ...)                                 \
  do {                                                        \
    if (::berth::telemetry::LogEnabled(level)) [[unlikely]] { \
      ::berth::telemetry::LogInfoAt(level, __VA_ARGS__);      \
    }                                                         \
  } while (false)

namespace berth::telemetry {

enum class LogFormat : uint8_t { kText, kJson };

struct LogOptions {
  LogFormat format = LogFormat::kText;
  int verbosity = 0;
  // Verbosity by source file without directory and extension, such as "core=4,queue*=5". Text only.
  std::string vmodule = {};
  bool split_stream = false;     // Messages go to `info_fd`, errors to `error_fd`.
  size_t info_buffer_bytes = 0;  // Of the split stream.
  int info_fd = 1;
  int error_fd = 2;
};

// Until it is called, the options are the defaults above. Fails when vmodule cannot be read.
Result<void> ConfigureLog(const LogOptions& options);
// At run time, and back.
void SetLogVerbosity(int verbosity);
int LogVerbosity();
// Writes what the split stream holds back. Lines on standard error are never held back.
void FlushLog();

// A value of a message. Text and errors are quoted, numbers and truth values stand as they are.
class LogValue {
 public:
  LogValue(std::string_view text) : kind_(Kind::kText), text_(text) {}
  LogValue(const std::string& text) : LogValue(std::string_view(text)) {}
  LogValue(const char* text) : LogValue(std::string_view(text)) {}
  LogValue(const Error& error) : LogValue(std::string_view(error.message)) {}
  LogValue(Duration duration) : kind_(Kind::kText), owned_(FormatDuration(duration)), text_(owned_) {}
  LogValue(bool value) : LogValue(Kind::kRaw, value ? "true" : "false") {}
  LogValue(double value);
  template <class Integer>
    requires std::is_integral_v<Integer>
  LogValue(Integer value) : LogValue(Kind::kRaw, std::to_string(value)) {}
  LogValue(const LogValue&) = delete;
  LogValue& operator=(const LogValue&) = delete;

  bool is_text() const { return kind_ == Kind::kText; }
  std::string_view text() const { return text_; }

 private:
  enum class Kind : uint8_t { kText, kRaw };
  LogValue(Kind kind, std::string text) : kind_(kind), owned_(std::move(text)), text_(owned_) {}

  Kind kind_;
  std::string owned_;
  std::string_view text_;  // Of the caller or of `owned_`.
};

// A message and the place in the source where it was written down.
struct LogMessage {
  template <class Text>
    requires std::is_convertible_v<const Text&, std::string_view>
  LogMessage(const Text& message, std::source_location at = std::source_location::current())
      : text(message), where(at) {}
  std::string_view text;
  std::source_location where;
};

namespace internal {

// No file logs above this level. Relaxed: a message more or less around a change of verbosity is harmless.
inline constinit std::atomic<int> log_loudest = 0;

// The same for one file.
bool LogEnabledIn(const char* file, int level);

enum class Severity : uint8_t { kInfo, kWarning, kError };
inline constexpr int kNoLevel = -1;

// `values` are keys and their values in turn.
void WriteLog(Severity severity, int level, const LogMessage& message, std::initializer_list<LogValue> values);

}  // namespace internal

// Whether something logged at `level` here reaches the log.
inline bool LogEnabled(int level, const std::source_location& where = std::source_location::current()) {
  return level <= internal::log_loudest.load(std::memory_order_relaxed) &&
         internal::LogEnabledIn(where.file_name(), level);
}

template <class... Values>
void LogInfoAt(int level, LogMessage message, const Values&... keys_and_values) {
  static_assert(sizeof...(Values) % 2 == 0, "every key needs a value");
  internal::WriteLog(internal::Severity::kInfo, level, message, {LogValue(keys_and_values)...});
}

// At level 0, which is always logged.
template <class... Values>
void LogInfo(LogMessage message, const Values&... keys_and_values) {
  LogInfoAt(0, message, keys_and_values...);
}

// An error that nobody else hears of: LogError(error, "Failed to update lock", "lock", name).
template <class... Values>
void LogError(const Error& error, LogMessage message, const Values&... keys_and_values) {
  static_assert(sizeof...(Values) % 2 == 0, "every key needs a value");
  internal::WriteLog(internal::Severity::kError, internal::kNoLevel, message,
                     {LogValue("err"), LogValue(error), LogValue(keys_and_values)...});
}

// Without an error.
template <class... Values>
void LogError(LogMessage message, const Values&... keys_and_values) {
  static_assert(sizeof...(Values) % 2 == 0, "every key needs a value");
  internal::WriteLog(internal::Severity::kError, internal::kNoLevel, message, {LogValue(keys_and_values)...});
}

// A sentence for a person, such as that a flag is deprecated. It is not quoted.
void LogWarning(LogMessage message);

}  // namespace berth::telemetry
