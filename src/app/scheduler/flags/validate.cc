// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "api/document/field_error.h"
#include "app/scheduler/flags/go_values.h"
#include "base/error_counts.h"
#include "base/text.h"
#include "framework/args/field_errors.h"
#include "runtime/files.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kLabelPattern = "[a-zA-Z_][a-zA-Z0-9_]*";
constexpr std::string_view kMetricPattern = "[a-zA-Z_:][a-zA-Z0-9_:]*";

bool IsName(std::string_view text, std::string_view also) {
  const auto is_letter = [also](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || also.contains(c);
  };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && is_letter(text[0]) && std::ranges::all_of(text, is_part);
}

bool IsMetricName(std::string_view text) { return IsName(text, ":"); }

bool IsMetricAndLabel(std::string_view text) {
  const size_t comma = text.find(',');
  return comma != std::string_view::npos && IsMetricName(text.substr(0, comma)) && IsName(text.substr(comma + 1), "");
}

std::string JsonOf(const std::map<std::string, std::string>& map) {
  std::vector<std::string> members;
  for (const auto& [key, value] : map) {
    members.push_back(fmt::format("{}:{}", framework::JsonString(key), framework::JsonString(value)));
  }
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

std::string JsonOf(const std::vector<std::string>& list) {
  std::vector<std::string> items;
  for (const std::string& item : list) items.push_back(framework::JsonString(item));
  return fmt::format("[{}]", fmt::join(items, ","));
}

std::string JsonOf(const MetricsOptions& metrics) {
  std::vector<std::string> members;
  const auto add = [&](std::string_view name, const std::string& json) {
    members.push_back(fmt::format("\"{}\":{}", name, json));
  };
  if (!metrics.show_hidden_for_version.empty()) {
    add("showHiddenMetricsForVersion", framework::JsonString(metrics.show_hidden_for_version));
  }
  if (!metrics.disabled.empty()) add("disabledMetrics", JsonOf(metrics.disabled));
  if (!metrics.allow_labels.empty()) add("allowListMapping", JsonOf(metrics.allow_labels));
  if (!metrics.allow_labels_manifest.empty()) {
    add("allowListMappingManifest", framework::JsonString(metrics.allow_labels_manifest));
  }
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

void CheckOutput(const std::string& path, bool split_stream, int64_t buffer_bytes, std::vector<std::string>& errors) {
  constexpr std::string_view kText = "{}.{}: Forbidden: Feature LoggingAlphaOptions is disabled";
  if (split_stream) errors.push_back(fmt::format(kText, path, "splitStream"));
  if (buffer_bytes != 0) errors.push_back(fmt::format(kText, path, "infoBufferSize"));
}

void CheckHeaders(std::string_view flag, const std::vector<std::string>& names, std::vector<std::string>& errors) {
  const bool has_blank = std::ranges::any_of(names, [](const std::string& name) { return Trim(name).empty(); });
  if (has_blank) errors.push_back(fmt::format("empty value in \"{}\"", flag));
}

Result<std::string> ReadManifest(const std::string& file) {
  if (file.empty()) return "";
  const Result<std::string> text = runtime::ReadFile(file);
  if (!text) return Invalid("failed to read allow list manifest: " + text.error().message);
  return *text;
}

}  // namespace

Result<void> ValidateLogging(const LoggingFlags& flags, const std::vector<ModuleVerbosity>& vmodule,
                             const GateSettings& gates) {
  std::vector<std::string> errors;
  if (flags.flush_frequency <= Duration{}) {
    errors.push_back(
        api::InvalidField("flushFrequency", FormatDuration(flags.flush_frequency), "Must be greater than zero"));
  }
  if (flags.format != "text" && flags.format != "json") {
    errors.push_back(api::InvalidField("format", flags.format, "Unsupported log format"));
  } else if (flags.format == "json" && !gates.Enabled("LoggingBetaOptions")) {
    errors.push_back("format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature");
  }
  if (!vmodule.empty() && !flags.format.empty() && flags.format != "text") {
    errors.push_back("vmodule: Forbidden: Only supported for text log format");
  }
  if (!gates.Enabled("LoggingAlphaOptions")) {
    CheckOutput("options.text", flags.text_split_stream, flags.text_info_buffer_bytes, errors);
    CheckOutput("options.json", flags.json_split_stream, flags.json_info_buffer_bytes, errors);
  }
  if (errors.empty()) return {};
  return Invalid(JoinErrors(errors));
}

std::vector<std::string> ValidateServing(const ServingOptions& serving) {
  constexpr int64_t kPortMax = 65535;
  if (serving.secure_port > kPortMax) {
    return {fmt::format("--secure-port {} must be between 1 and 65535, inclusive. It cannot be turned off with 0",
                        serving.secure_port)};
  }
  if (serving.secure_port < 0) {
    return {fmt::format("--secure-port {} must be between 0 and 65535, inclusive. 0 for turning off secure port",
                        serving.secure_port)};
  }
  return {};
}

std::vector<std::string> ValidateRequestHeader(const RequestHeaderOptions& headers, const GateSettings& gates) {
  std::vector<std::string> errors;
  CheckHeaders("requestheader-username-headers", headers.username_headers, errors);
  CheckHeaders("requestheader-group-headers", headers.group_headers, errors);
  CheckHeaders("requestheader-extra-headers-prefix", headers.extra_headers_prefixes, errors);
  CheckHeaders("requestheader-allowed-names", headers.allowed_names, errors);
  const auto is_standard = [](const std::string& name) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::ranges::equal(name, std::string_view("x-remote-uid"), {}, lower);
  };
  if (gates.Enabled("RemoteRequestHeaderUID")) {
    CheckHeaders("requestheader-uid-headers", headers.uid_headers, errors);
    if (!headers.uid_headers.empty() && std::ranges::none_of(headers.uid_headers, is_standard)) {
      errors.push_back(
          "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation "
          "will "
          "not work");
    }
  } else if (!headers.uid_headers.empty()) {
    errors.push_back("--requestheader-uid-headers requires the \"RemoteRequestHeaderUID\" feature to be enabled");
  }
  return errors;
}

std::vector<std::string> ValidateMetrics(const MetricsOptions& metrics) {
  std::vector<std::string> errors;
  if (!metrics.show_hidden_for_version.empty() && metrics.show_hidden_for_version != "1.36") {
    errors.push_back(
        api::InvalidField("metrics.showHiddenMetricsForVersion", metrics.show_hidden_for_version,
                          "must be omitted or have the value '1.36'; only the previous minor version is allowed"));
  }
  const auto bad_metric = std::ranges::find_if_not(metrics.disabled, IsMetricName);
  if (bad_metric != metrics.disabled.end()) {
    errors.push_back(
        fmt::format("metrics.disabledMetrics: Invalid value: {}: must be fully qualified metric names "
                    "matching \"^{}$\", got {}",
                    JsonOf(metrics.disabled), kMetricPattern, api::GoQuote(*bad_metric)));
  }
  const auto is_fine = [](const auto& entry) { return IsMetricAndLabel(entry.first); };
  if (!std::ranges::all_of(metrics.allow_labels, is_fine)) {
    errors.push_back(
        fmt::format("metrics.allowListMapping: Invalid value: {}: must have keys with format "
                    "`metricName,labelName` where metricName matches \"{}\" and labelName matches \"{}\"",
                    JsonOf(metrics.allow_labels), kMetricPattern, kLabelPattern));
  }
  const std::string& manifest = metrics.allow_labels_manifest;
  if (const Result<std::string> text = ReadManifest(manifest); !text) {
    errors.push_back(api::InvalidField("metrics.allowListMappingManifest", manifest, text.error().message));
  }
  if (!metrics.allow_labels.empty() && !manifest.empty()) {
    errors.push_back(
        fmt::format("metrics: Invalid value: {}: cannot specify both allowListMapping and allowListMappingManifest",
                    JsonOf(metrics)));
  }
  return errors;
}

}  // namespace berth::scheduler_app
