// SPDX-License-Identifier: Apache-2.0
// Checks of flags that parse one by one and make no sense together, with upstream's texts.

#pragma once

#include <string>
#include <vector>

#include "app/scheduler/flags/gates.h"
#include "app/scheduler/flags/options.h"
#include "base/result.h"

namespace berth::scheduler_app {

// What logging needs of its flags. Upstream checks these first, and prints the text without a log header.
struct LoggingFlags {
  std::string format = "text";
  Duration flush_frequency = Seconds(5);
  bool text_split_stream = false;
  int64_t text_info_buffer_bytes = 0;
  bool json_split_stream = false;
  int64_t json_info_buffer_bytes = 0;
};

Result<void> ValidateLogging(const LoggingFlags& flags, const std::vector<ModuleVerbosity>& vmodule,
                             const GateSettings& gates);

// What is wrong with the serving, authentication and metrics flags; empty if nothing.
std::vector<std::string> ValidateServing(const ServingOptions& serving);
std::vector<std::string> ValidateRequestHeader(const RequestHeaderOptions& headers, const GateSettings& gates);
std::vector<std::string> ValidateMetrics(const MetricsOptions& metrics);

// Names of cipher suites, curves and versions, which upstream looks at when it is about to serve.
Result<void> ValidateTls(const ServingOptions& serving);

}  // namespace berth::scheduler_app
