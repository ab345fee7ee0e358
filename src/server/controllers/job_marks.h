// SPDX-License-Identifier: Apache-2.0
// What a Job writes on its pods: the finalizer of those that it has yet to count, their indexes and their failures.

#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "server/model/json.h"

namespace berth::server {

inline constexpr std::string_view kJobTrackingFinalizer = "batch.kubernetes.io/job-tracking";
// An annotation and a label.
inline constexpr std::string_view kJobIndex = "batch.kubernetes.io/job-completion-index";
// How often the index had failed before this pod, with a backoff limit per index; what a policy ignores counts apart.
inline constexpr std::string_view kIndexFailures = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIndexIgnoredFailures = "batch.kubernetes.io/job-index-ignored-failure-count";

// A number in an annotation. Whatever is none, or no 32-bit one from 0 on, is `other`.
inline int64_t JobMark(const Json& annotations, std::string_view name, int64_t other) {
  const std::string& text = annotations[name].text();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && number >= 0 && number <= std::numeric_limits<int32_t>::max() ? number : other;
}

// -1: it has none.
inline int64_t JobIndexOf(const Json& annotations) { return JobMark(annotations, kJobIndex, -1); }

}  // namespace berth::server
