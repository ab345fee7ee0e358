// SPDX-License-Identifier: Apache-2.0
// PodTurn: one look of a kubelet at a pod: what has become of its containers by now.
//
// Containers come one after another: init containers first, each when the one before has succeeded or, if it is a
// sidecar, has started; then all others at once. They run, become ready and exit as the script says. One that exits
// starts again if its restart policy lets it, the first time at once, then after a delay that doubles from ten seconds
// to five minutes, until it has run for ten minutes. A pod whose containers have all ended for good has ended, as has
// one with an init container that failed for good.
//
// Nothing is written here; what events shall say is collected. A look is taken again after every change, so that those
// who watch see one thing happen after another.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "server/controllers/event_report.h"
#include "server/model/json.h"
#include "server/nodes/container_statuses.h"
#include "server/nodes/pod_script.h"

namespace berth::server {

// What a kubelet remembers of a pod besides its status, which knows whole seconds only.
struct PodMemory {
  struct Container {
    std::optional<Time> since;  // When its state began.
    Duration delay{};           // Before it starts again; zero: it did not exit yet.
    Time delayed;               // When the delay was set.
  };
  std::optional<Time> started;  // When its first container started.
  std::map<std::string, Container, std::less<>> containers;
};

class PodTurn {
 public:
  // REQUIRES: `script` and `memory` outlive this.
  // Without `tells` nothing is said of what happens.
  PodTurn(Json pod, const PodScript& script, PodMemory& memory, Time now, bool tells);

  // Its node, which has this address, takes it in. Its containers wait.
  void Admit(const std::string& host);
  // Its node has no such handler of containers: it does not start. This is tried again after a while.
  void LackHandler(std::string_view handler);
  // It gets its address, and its containers may start.
  void Start(const std::string& address);
  // Whatever is due happens to containers that have a status.
  void Advance();
  // Takes note of a spec that has changed: of ephemeral containers and of other images.
  void Observe();
  // Fails the pod if it has been there for longer than its spec allows.
  void EndIfOverdue();
  // Its containers are told to end.
  void TellOfStop();
  // Until when containers run that do not heed being told to end. Long ago: there are none.
  Time RunsTill() const;
  // Its containers have ended because the pod is deleted, with this code unless they exited by themselves.
  void Stop(int64_t exit_code);
  // Whether it is that late. If not, there is something to do then.
  bool IsDue(Time when);
  bool has_changed() const { return has_changed_; }
  // Its node has no room for it any more.
  void Evict(std::string_view message);

  // The pod with all that has become of it, its phase and its conditions.
  Json Conclude();
  // When there is something more to do.
  std::optional<Duration> again() const;
  std::vector<Notice> TakeNotices() { return std::move(notices_); }

 private:
  Json::List& Statuses(std::string_view list) { return pod_.Make({"status", list}).mutable_items(); }
  void AddStatuses(std::string_view containers, std::string_view statuses);
  // False: init containers still run, or have failed.
  bool Initialize();
  // Whether it has succeeded.
  bool AdvanceInit(const Json& container, Json& status);
  void Run(const Json& container, Json& status, bool is_ready);
  // Its image is not to be had.
  void FailPull(const Json& container, Json& status);
  void Terminate(Json& status, int64_t exit_code, bool is_ready);
  void TerminateAll(int64_t exit_code);
  // It is killed, and starts again at once.
  void Restart(const Json& container, Json& status);
  void MakeReady(Json& status);
  void AdvanceContainer(const Json& container, Json& status);
  void TryAgain(const Json& container, Json& status, bool is_ready);
  // When the state of a container began, and when the first one started.
  Time Since(const Json& status) const;
  Time Started() const;
  void Note(const Json& status);
  void Tell(std::string_view type, std::string_view reason, std::string message, const Json& status);
  // Whether all containers have ended for good, and if so whether one of them failed.
  std::optional<bool> HasFailed() const;
  void End(bool has_failed);
  void Kill(std::string_view reason, std::string_view message);

  Json pod_;
  const Json spec_;
  const PodScript& script_;
  PodMemory& memory_;
  const Time now_;
  const std::string when_;
  const std::string policy_;  // Its restart policy.
  std::optional<Time> next_;
  bool has_changed_ = false;
  const bool tells_;
  std::vector<Notice> notices_;
};

}  // namespace berth::server
