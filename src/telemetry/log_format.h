// SPDX-License-Identifier: Apache-2.0
// How one line of the log is spelt: klog's text with its rules of quoting, or the JSON of Kubernetes components.
//
// Thread: any; no state.

#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "telemetry/log.h"

namespace berth::telemetry {

struct LogLine {
  internal::Severity severity = internal::Severity::kInfo;
  int level = 0;  // kNoLevel: JSON does not say.
  Time time;
  int process = 0;
  std::string_view file;
  uint32_t line = 0;
  std::string_view message;
  std::initializer_list<LogValue> values;
  bool quoted = true;  // The message, in text.
};

std::string LogText(const LogLine& line);  // In local time.
std::string LogJson(const LogLine& line);

// "scheduling_queue" of "src/queue/scheduling_queue.cc".
std::string_view LogModule(std::string_view file);
// Shell patterns of * and ? and [a-z], as in --vmodule.
bool LogGlobMatches(const std::string& glob, std::string_view module);
std::optional<int> ParseLogLevel(std::string_view text);

}  // namespace berth::telemetry
