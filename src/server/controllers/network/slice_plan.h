// SPDX-License-Identifier: Apache-2.0
// SlicePlan: which EndpointSlices there shall be, made of those that are there so that few of them change.
//
// Endpoints that offer the same ports stand together. A slice whose endpoints changed is written anyway, so it is
// filled up first; what is left goes into the fullest other slice that has room for all of it, or into new ones.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/store/stored_object.h"

namespace berth::server {

// How many endpoints a slice has at most.
inline constexpr size_t kEndpointsPerSlice = 100;

// Endpoints that offer the same ports, of one family of addresses.
struct EndpointGroup {
  Json ports = {};                             // In the order in which slices have them.
  std::map<std::string, Json> endpoints = {};  // By what tells them apart, see EndpointIdentity.
};
// By the text of their ports.
using EndpointGroups = std::map<std::string, EndpointGroup>;

// The group of these ports, which may stand in any order; made if there is none.
EndpointGroup& GroupOf(EndpointGroups& groups, Json ports);

// Endpoints that differ in anything else take the place of each other.
std::string EndpointIdentity(const Json& endpoint);

struct PlannedSlice {
  std::string name = {};  // "": it is new.
  Json ports = {};
  Json::List endpoints = {};
};

struct SlicePlan {
  std::vector<PlannedSlice> made = {};
  std::vector<PlannedSlice> changed = {};
  std::vector<ObjectPtr> removed = {};
};

// What the slices of one owner have in common.
struct SliceRules {
  ObjectPtr owner;   // A Service or its Endpoints.
  Json labels;       // Those that each slice has, and no others.
  Json annotations;  // Likewise; null: whatever they have.
  size_t endpoints_max = kEndpointsPerSlice;
  bool is_never_without = true;  // There is a slice even if there are no endpoints.
};

// `present`: the slices of this family of addresses.
SlicePlan PlanSlices(const SliceRules& rules, EndpointGroups groups, const std::vector<ObjectPtr>& present);

}  // namespace berth::server
