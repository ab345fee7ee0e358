// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/life_annotations.h"

#include <algorithm>
#include <array>

#include "api/parts/quantity.h"
#include "base/similar_word.h"
#include "base/time.h"

namespace berth::server {

std::string LifeAnnotationProblem(std::string_view name, std::string_view value) {
  constexpr std::string_view kPrefix = "berth.dev/";
  constexpr std::array kNames = {kCompleteAfter, kCpuUsage, kFailAfter, kMemoryUsage, kStartAfter};
  if (!name.starts_with(kPrefix)) return {};
  if (std::ranges::find(kNames, name) == kNames.end()) {
    return "there is no such annotation" + DidYouMean(name, kNames);
  }
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
