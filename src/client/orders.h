// SPDX-License-Identifier: Apache-2.0
// Order: an effect as plain data, ready to be sent to the API server or to an extender.
//
// Effects share pods with the core; an order shares nothing, so that it can leave the core's thread and die elsewhere.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/event.h"
#include "client/json_edit.h"
#include "scheduler/input.h"

namespace berth::client {

struct PodName {
  std::string ns;
  std::string name;
};

struct BindOrder {
  PodName pod;
  std::string body;
};

struct PatchStatusOrder {
  PodName pod;
  std::string patch;  // Empty: nothing to change.
};

struct EvictOrder {
  PodName pod;
  std::string patch;  // Of its status, before it is deleted. Empty: nothing to change.
};

// An update of an object of which the core knows only a part: it is read, changed and written back, provided that it is
// still the version that the core decided on.
struct UpdateOrder {
  std::string resource;  // Such as persistentvolumes.
  std::string ns;        // Empty: cluster-scoped.
  std::string name;
  std::string resource_version;
  std::vector<JsonMember> members;
};

struct WriteEventOrder {
  Event event;
};

struct ReadPodOrder {
  PodName pod;
  std::string resource_version = {};  // That the core knows.
};

struct CallExtenderOrder {
  size_t extender = 0;  // Index in the configuration.
  std::string verb;
  std::string body;
};

struct CancelExtenderOrder {
  uint64_t id = 0;  // Of the effect that asked for the call.
};

// What came of reading a pod.
struct PodRead {
  PodName name;
  std::optional<api::Pod> pod;
  std::string gone;  // Without a pod: it is gone in this version and those before it.
};

struct Order {
  uint64_t id = 0;   // Of the effect.
  std::string lane;  // Orders of one lane are carried out one after the other. Empty: the order waits for none.
  std::variant<BindOrder, PatchStatusOrder, EvictOrder, UpdateOrder, WriteEventOrder, ReadPodOrder, CallExtenderOrder,
               CancelExtenderOrder>
      what;
};

// `wall` is the time of day, which is written into conditions.
//
// Thread: core.
Order OrderOf(scheduler::IssuedEffect issued, Time wall);

}  // namespace berth::client
