// SPDX-License-Identifier: Apache-2.0
// Order: an effect as plain data, ready to be sent to the API server or to an extender.
//
// Effects say what shall be and share pods with the core. An order says which requests bring that about, so there are
// as many kinds of it as ways to do that; it shares nothing, and so can leave the core's thread and die elsewhere.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/orders/event.h"
#include "client/orders/json_edit.h"
#include "scheduler/input.h"

namespace berth::client {

// An object of the API server.
struct ObjectPath {
  std::string_view api;       // Such as /api/v1.
  std::string_view resource;  // Such as pods.
  std::string ns;             // Empty: it is in none.
  std::string name;

  // As they stand in a URL.
  std::string collection() const;
  std::string text() const { return collection() + "/" + name; }
};

ObjectPath PodPath(std::string ns, std::string name);
ObjectPath ClaimPath(std::string ns, std::string name);

struct BindOrder {
  ObjectPath pod;
  api::Document binding;
};

// A patch of an object's status.
struct PatchOrder {
  ObjectPath object;
  std::string patch;  // Empty: nothing to change.
};

struct EvictOrder {
  ObjectPath pod;
  std::string patch;  // Of its status, before it is deleted. Empty: nothing to change.
};

// An update of an object of which the core knows only a part: it is read, changed and written back, provided that it is
// still the version that the core decided on.
struct UpdateOrder {
  ObjectPath object;
  std::string subresource;  // Empty: the object itself.
  std::string resource_version;
  std::vector<JsonMember> members;
};

// A ResourceClaim gets a reservation for a pod and perhaps its allocation. Everything is JSON.
struct BindClaimOrder {
  ObjectPath claim;            // Without a name: it is to be created,
  std::string new_claim = {};  // from this.
  std::string uid;
  std::string allocation;  // Empty: it has one.
  std::string timestamp;   // Of an allocation without one. Empty: it gets none.
  std::string consumer;
  std::string consumer_uid;
  ObjectPath pod;
  std::vector<api::ExtendedResourceClaimStatus::Mapping> request_mappings = {};  // For the pod's status, if any.
};

struct DeleteClaimOrder {
  ObjectPath claim;
  std::string uid;
};

struct WriteEventOrder {
  Event event;
};

struct ReadPodOrder {
  ObjectPath pod;
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

// A claim as the server has it after a write.
struct ClaimRead {
  api::ResourceClaim claim;
};

// What came of reading a pod.
struct PodRead {
  ObjectPath name;
  std::optional<api::Pod> pod;
  std::string gone;  // Without a pod: it is gone in this version and those before it.
};

struct Order {
  uint64_t id = 0;   // Of the effect.
  std::string lane;  // Orders of one lane are carried out one after the other. Empty: the order waits for none.
  std::variant<BindOrder, PatchOrder, EvictOrder, UpdateOrder, BindClaimOrder, DeleteClaimOrder, WriteEventOrder,
               ReadPodOrder, CallExtenderOrder, CancelExtenderOrder>
      what;
};

// `wall` is the time of day, which is written into conditions.
//
// Thread: core.
Order OrderOf(scheduler::IssuedEffect issued, Time wall);

}  // namespace berth::client
