// SPDX-License-Identifier: Apache-2.0
// Controller: keeps some objects as others say that they should be.
//
// It is told of every change and says which of its objects may need work, by a key of its choice. Each is then looked
// at in a later turn, by what is in the store then, so it does not matter how many changes came in between or in which
// order. Everything it writes goes through Objects.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"
#include "base/time.h"
#include "server/controllers/pod_index.h"
#include "server/controllers/similar_events.h"
#include "server/objects/objects.h"
#include "server/store/store.h"

namespace berth::server {

// In whose name controllers write.
inline constexpr std::string_view kControllerManager = "kube-controller-manager";

// What all controllers work with.
struct Cluster {
  Objects& objects;
  const PodIndex& pods;
  Random& random;
  SimilarEvents& similar_events;

  const Store& store() const { return objects.store(); }
  const Resource& Get(std::string_view group, std::string_view plural) const {
    return objects.catalog().Get(group, plural);
  }
};

class Controller {
 public:
  // Asks for a look at an object, at once or after a time.
  using Enqueue = std::function<void(std::string key, Duration delay)>;

  virtual ~Controller() = default;

  virtual std::string_view name() const = 0;
  // Called for every change, and once as kAdded for every object that was there at the beginning. The index of pods has
  // the pod that changed, also one that was deleted just now.
  virtual void OnChange(const Change& change, const Enqueue& enqueue) = 0;
  // Brings the objects of this key into line, or a part of them if there are many. Returns when to look again if
  // nothing changes: after a part at once, and a while after a write that was refused.
  virtual std::optional<Duration> Sync(const std::string& key) = 0;
};

// Whether a write was carried out. One that was refused is logged; an object or a namespace that is gone or going is
// nothing to speak of.
bool Succeeded(const Controller& controller, const StatusError& error);
template <class T>
bool Succeeded(const Controller& controller, const Outcome<T>& outcome) {
  return outcome.has_value() || Succeeded(controller, outcome.error());
}

// A number, or a percentage of `total`.
int64_t Scaled(const Json& value, int64_t total, bool rounds_up);

// Controllers look again after this if something went wrong.
inline constexpr Duration kRetry = Seconds(1);
// Pods change many at a time: their owner is looked at some time after the first of them changed.
inline constexpr Duration kSettle = Milliseconds(20);
// How much a controller does in one look.
inline constexpr size_t kBatch = 200;

}  // namespace berth::server
