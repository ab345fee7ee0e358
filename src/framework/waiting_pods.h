// SPDX-License-Identifier: Apache-2.0
// WaitingPods: pods that have a node and wait for Permit plugins to let them go.
//
// Each plugin that asked to wait must allow the pod before its time is up. The first rejection, or the first timeout,
// ends the wait. Who drives the binding takes the verdicts and goes on from there.
//
// Thread: core. Time enters with the calls.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cluster/pod_info.h"
#include "framework/status.h"

namespace berth::framework {

class WaitingPods {
 public:
  struct Wait {
    std::string plugin;
    Duration timeout;
    Time deadline;
  };
  struct Verdict {
    std::string uid;
    Status status;  // Success, or who turned the pod down and why.
  };

  // `waits` are the plugins that asked to wait, with their timeouts. REQUIRES: not empty.
  void Add(cluster::PodPtr pod, const std::vector<std::pair<std::string, Duration>>& waits, Time now);
  // Forgets the pod without a verdict.
  void Remove(const std::string& uid);

  bool Has(const std::string& uid) const { return pods_.contains(uid); }
  size_t size() const { return pods_.size(); }
  // The pod under this uid, or nullptr.
  cluster::PodPtr Find(const std::string& uid) const;
  // Calls `visit(pod, waits)` for every waiting pod, in order of uid.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [uid, entry] : pods_) visit(*entry.pod, entry.waits);
  }

  // The plugin lets the pod go; with the last one the wait is over. Nothing happens for a pod that does not wait.
  void Allow(const std::string& uid, std::string_view plugin);
  // The plugin turns the pod down. False if it does not wait (any more).
  bool Reject(const std::string& uid, std::string_view plugin, std::string message);
  // The pod is a victim of preemption. False if it does not wait (any more).
  bool Preempt(const std::string& uid, std::string_view plugin, std::string message);
  // Rejects the pods whose time is up.
  void Expire(Time now);
  // When Expire will have something to do.
  std::optional<Time> NextDeadline() const;

  // The verdicts since the last call, in the order in which they fell.
  std::vector<Verdict> TakeVerdicts() { return std::exchange(verdicts_, {}); }

 private:
  struct Entry {
    cluster::PodPtr pod;
    std::vector<Wait> waits;  // Plugins that have not allowed the pod yet.
  };
  bool End(const std::string& uid, Status status);

  std::map<std::string, Entry, std::less<>> pods_;  // By uid.
  std::vector<Verdict> verdicts_;
};

}  // namespace berth::framework
