// SPDX-License-Identifier: Apache-2.0
#include "framework/waiting_pods.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::framework {

void WaitingPods::Add(cluster::PodPtr pod, const std::vector<std::pair<std::string, Duration>>& waits, Time now) {
  Entry entry{std::move(pod), {}};
  for (const auto& [plugin, timeout] : waits) entry.waits.push_back({plugin, timeout, now + timeout});
  std::string uid = entry.pod->uid;
  pods_.insert_or_assign(std::move(uid), std::move(entry));
}

void WaitingPods::Remove(const std::string& uid) { pods_.erase(uid); }

cluster::PodPtr WaitingPods::Find(const std::string& uid) const {
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second.pod;
}

bool WaitingPods::End(const std::string& uid, Status status) {
  if (pods_.erase(uid) == 0) return false;
  verdicts_.push_back({uid, std::move(status)});
  return true;
}

void WaitingPods::Allow(const std::string& uid, std::string_view plugin) {
  const auto it = pods_.find(uid);
  if (it == pods_.end()) return;
  std::erase_if(it->second.waits, [&](const Wait& wait) { return wait.plugin == plugin; });
  if (it->second.waits.empty()) End(uid, Status::Success());
}

bool WaitingPods::Reject(const std::string& uid, std::string_view plugin, std::string message) {
  Status status = Status::Unschedulable(std::move(message));
  status.plugin = plugin;
  return End(uid, std::move(status));
}

bool WaitingPods::Preempt(const std::string& uid, std::string_view plugin, std::string message) {
  Status status = Status::Error(std::move(message));
  status.plugin = plugin;
  return End(uid, std::move(status));
}

void WaitingPods::Expire(Time now) {
  std::vector<std::pair<std::string, Wait>> expired;
  for (const auto& [uid, entry] : pods_) {
    const auto first = std::ranges::min_element(entry.waits, {}, &Wait::deadline);
    if (first->deadline <= now) expired.emplace_back(uid, *first);
  }
  std::ranges::stable_sort(expired, {}, [](const auto& entry) { return entry.second.deadline; });
  for (const auto& [uid, wait] : expired) {
    Reject(uid, wait.plugin,
           fmt::format("rejected due to timeout after waiting {} at plugin {}", FormatDuration(wait.timeout),
                       wait.plugin));
  }
}

std::optional<Time> WaitingPods::NextDeadline() const {
  std::optional<Time> next;
  for (const auto& [uid, entry] : pods_) {
    for (const Wait& wait : entry.waits) {
      if (!next || wait.deadline < *next) next = wait.deadline;
    }
  }
  return next;
}

}  // namespace berth::framework
