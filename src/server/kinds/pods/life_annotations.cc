// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/life_annotations.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "api/parts/quantity.h"
#include "base/similar_word.h"
#include "base/time.h"

namespace berth::server {
namespace {

std::string ExitCodeProblem(std::string_view value) {
  uint8_t code = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), code);
  return error == std::errc() && end == value.data() + value.size() ? "" : "must be a number from 0 to 255";
}

}  // namespace

std::string LifeAnnotationProblem(std::string_view name, std::string_view value) {
  constexpr std::array kNames = {kCompleteAfter, kCpuUsage,    kExitAfter,  kExitCode,   kFailAfter,
                                 kInitFor,       kMemoryUsage, kReadyAfter, kStartAfter, kTerminateAfter};
  if (!name.starts_with(kLifePrefix)) return {};
  if (std::ranges::find(kNames, name) == kNames.end()) {
    return "there is no such annotation" + DidYouMean(name, kNames);
  }
  if (name == kExitCode) return ExitCodeProblem(value);
  if (name == kCpuUsage || name == kMemoryUsage) {
    const Result<api::Quantity> amount = api::Quantity::Parse(value);
    if (!amount) return amount.error().message;
    return amount->Sign() < 0 ? "must not be negative" : "";
  }
  const Result<Duration> duration = ParseDuration(value);
  if (!duration) return duration.error().message;
  return *duration < Duration{} ? "must not be negative" : "";
}

}  // namespace berth::server
