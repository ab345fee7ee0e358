// SPDX-License-Identifier: Apache-2.0
// What controllers of pods have in common: making pods from a template, and choosing those that go first.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/parts/selector.h"
#include "server/controllers/controller.h"

namespace berth::server {

// Names the version of the template that a pod was made from.
inline constexpr std::string_view kVersionLabel = "controller-revision-hash";

// Writes what `edit` makes of the present state of an object, unless another one has its name by now.
Outcome<void> EditObject(const Cluster& cluster, const StoredObject& object,
                         std::move_only_function<void(Json& changed)> edit);

// The reference of an object to the one that controls it.
Json ControllerReference(const StoredObject& owner);

// The reference to the controller in a list of owners; null if there is none. It lives as long as the list.
const Json& ControllerAmong(const Json& owners);
// The same of an object.
inline const Json& ControllerOf(const Json& object) { return ControllerAmong(object["metadata"]["ownerReferences"]); }
// Makes `owner` the one that controls `object`, which nobody controls, and which is held by the finalizer, if one is
// given.
bool TakeOver(const Controller& controller, const Cluster& cluster, const StoredObject& owner,
              const StoredObject& object, std::string_view finalizer = {});
// Takes `owner` out of the owners of `object`, and the finalizer off it.
bool Release(const Controller& controller, const Cluster& cluster, const StoredObject& owner,
             const StoredObject& object, std::string_view finalizer = {});

// A pod as the template says, owned by `owner`. It has no name yet.
Json PodFromTemplate(const Json& pod_template, const StoredObject& owner);

// The pods that `owner` controls, whatever their state. Pods come and go while one works with them, so these are
// copies.
std::vector<PodInfo> PodsOf(const Cluster& cluster, const StoredObject& owner);

// How an owner claims pods that nobody controls.
struct PodClaim {
  const api::Selector& selector;
  std::function<bool(const PodInfo& pod)> can_use;  // It takes over no others.
  // Whether pods that have ended matter to it, so that it lets go of those as well.
  bool counts_ended = false;
  // That its pods are held by; empty: none.
  std::string_view finalizer = {};
};

// Takes over the pods that `owner` selects, that nobody controls and that it can use, and lets go of those that count
// for it and do not match any more.
bool ClaimPods(const Controller& controller, const Cluster& cluster, const StoredObject& owner, const PodClaim& claim);

// Which pods have been ready for `minReadySeconds` of a spec.
class Availability {
 public:
  Availability(const Json& spec, Time now) : min_ready_(Seconds(spec["minReadySeconds"].IntOr(0))), now_(now) {}

  bool is_immediate() const { return min_ready_ == Duration{}; }
  bool Has(const PodInfo& pod) const { return pod.is_ready && DueOf(pod) <= now_; }
  // In which time the first of the pods that are ready too short a time will be available.
  std::optional<Duration> Next(const std::vector<PodInfo>& pods) const;

 private:
  Time DueOf(const PodInfo& pod) const { return is_immediate() ? now_ : pod.ready_since + min_ready_; }

  Duration min_ready_;
  Time now_;
};

// Sorts pods so that those whose loss hurts least come first: unbound, pending, not ready, of low deletion cost, on a
// node with many of `crowds` (how many relatives there are, by node), newest.
void SortForRemoval(std::vector<PodInfo>& pods, const std::map<std::string, size_t>& crowds = {});

// Deletes the pod. A pod that is gone already is no failure.
bool DeletePod(const Cluster& cluster, const PodInfo& pod);

// A number as upstream writes hashes in names: with letters that spell no words.
std::string HashText(uint32_t hash);
// Tells templates apart; `collisions` counts the names that were taken.
std::string TemplateHash(const Json& pod_template, int64_t collisions = 0);

// Writes the status that `edit` makes of the present one.
bool WriteStatus(const Cluster& cluster, const StoredObject& object, std::move_only_function<void(Json& status)> edit);

}  // namespace berth::server
