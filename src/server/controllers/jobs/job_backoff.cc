// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_backoff.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "server/model/find_condition.h"

namespace berth::server {
namespace {

constexpr Duration kFirstBackoff = Seconds(10);
constexpr Duration kBackoffMax = Minutes(10);

// When the last container ended, also of the init containers that go on beside the others. Nothing: not all did, or
// there are none.
std::optional<Time> ContainersFinishedAt(const Json& pod) {
  std::set<std::string> sidecars;
  for (const Json& container : pod["spec"]["initContainers"].items()) {
    if (container["restartPolicy"].text() == "Always") sidecars.insert(container["name"].text());
  }
  std::optional<Time> last;
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    for (const Json& container : pod["status"][list].items()) {
      if (list != "containerStatuses" && !sidecars.contains(container["name"].text())) continue;
      const Result<Time> finished = ParseTime(container["state"]["terminated"]["finishedAt"].text());
      if (!finished) return std::nullopt;
      last = std::max(last.value_or(*finished), *finished);
    }
  }
  return last;
}

}  // namespace

Time FinishedAt(const Json& pod) {
  if (const std::optional<Time> finished = ContainersFinishedAt(pod)) return *finished;
  const Json& metadata = pod["metadata"];
  const Json& ready = FindCondition(pod["status"]["conditions"], "Ready");
  if (const Result<Time> changed = ParseTime(ready["lastTransitionTime"].text());
      changed && ready["status"].text() == "False") {
    return *changed;
  }
  if (const Result<Time> deleted = ParseTime(metadata["deletionTimestamp"].text())) {
    return *deleted - Seconds(metadata["deletionGracePeriodSeconds"].IntOr(0));
  }
  return ParseTime(metadata["creationTimestamp"].text()).value_or(Time{});
}

JobBackoff BackoffAfter(const JobBackoff& before, const std::vector<Json>& succeeded, const std::vector<Json>& failed) {
  JobBackoff after = succeeded.empty() ? before : JobBackoff{};
  std::optional<Time> success;
  for (const Json& pod : succeeded) success = std::max(success.value_or(FinishedAt(pod)), FinishedAt(pod));
  std::optional<Time> last;
  for (const Json& pod : failed) {
    const Time finished = FinishedAt(pod);
    if (success && finished <= *success) continue;
    ++after.failures;
    last = std::max(last.value_or(finished), finished);
  }
  if (last) after.last = *last;
  return after;
}

Duration RemainingBackoff(const JobBackoff& backoff, Time now) {
  if (backoff.failures == 0) return {};
  Duration whole = kFirstBackoff;
  for (int64_t i = 1; i < backoff.failures && whole < kBackoffMax; ++i) whole = std::min(whole * 2, kBackoffMax);
  return std::max(whole - (now - backoff.last), Duration{});
}

}  // namespace berth::server
