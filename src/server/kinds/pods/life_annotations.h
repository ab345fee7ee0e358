// SPDX-License-Identifier: Apache-2.0
// The annotations that tell how a simulated pod lives, in pods and in templates of pods.

#pragma once

#include <string>
#include <string_view>

namespace berth::server {

inline constexpr std::string_view kLifePrefix = "berth.dev/";

// Durations such as 30s; the pod then ends as Succeeded or Failed, whatever its restart policy says.
inline constexpr std::string_view kCompleteAfter = "berth.dev/complete-after";
inline constexpr std::string_view kFailAfter = "berth.dev/fail-after";
// How long the pod stays Pending after it was bound.
inline constexpr std::string_view kStartAfter = "berth.dev/start-after";
// How long each of its init containers runs, but for sidecars.
inline constexpr std::string_view kInitFor = "berth.dev/init-for";
// From the start of a container until it is ready.
inline constexpr std::string_view kReadyAfter = "berth.dev/ready-after";
// From the start of a container until it exits; what follows is up to its restart policy.
inline constexpr std::string_view kExitAfter = "berth.dev/exit-after";
// The code that containers exit with, from 0 to 255.
inline constexpr std::string_view kExitCode = "berth.dev/exit-code";
// From the deletion of the pod until its containers have ended, within its grace period.
inline constexpr std::string_view kTerminateAfter = "berth.dev/terminate-after";

// What its containers use together while they run: quantities such as 250m and 64Mi. Otherwise half of what they
// request.
inline constexpr std::string_view kCpuUsage = "berth.dev/cpu-usage";
inline constexpr std::string_view kMemoryUsage = "berth.dev/memory-usage";

// What is wrong with an annotation of a pod; nothing if it is fine, or none of Berth's.
std::string LifeAnnotationProblem(std::string_view name, std::string_view value);

}  // namespace berth::server
