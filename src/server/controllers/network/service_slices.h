// SPDX-License-Identifier: Apache-2.0
// ServiceSlices: the EndpointSlices that one controller keeps, found by their Service, and written as planned.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/controllers/controller.h"
#include "server/controllers/network/slice_plan.h"

namespace berth::server {

inline constexpr std::string_view kServiceNameLabel = "kubernetes.io/service-name";
inline constexpr std::string_view kSliceManagerLabel = "endpointslice.kubernetes.io/managed-by";
inline constexpr std::string_view kTriggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

// Sets the annotation, or takes it off if there is no such time.
void SetTriggerTime(Json& metadata, Time changed);

class ServiceSlices {
 public:
  // `manager`: what their label says of who keeps them. REQUIRES: both outlive this.
  ServiceSlices(const Controller& controller, const Cluster& cluster, std::string_view manager);

  // Takes note of a slice that changed. Returns the keys of the Services that should be looked at, as others have
  // changed their slices.
  std::set<std::string> OnSlice(const Change& change);

  // Those of a family that are not being deleted, in the order of names.
  std::vector<ObjectPtr> Of(const std::string& service, std::string_view family) const;

  // Carries out a part of the plan. Returns whether that was all. `changed`: when what they tell of changed first;
  // zero: they need not say.
  Outcome<bool> Write(const SliceRules& rules, std::string_view family, const SlicePlan& plan, Time changed);
  // Likewise: deletes all of the Service.
  Outcome<bool> DeleteAll(const std::string& service);

 private:
  // Null if it has gone.
  ObjectPtr FindSlice(const std::string& key) const;
  // The key of the Service that it belongs to; "" if somebody else keeps it.
  std::string ServiceOf(const StoredObject& slice) const;
  Outcome<void> Make(const SliceRules& rules, std::string_view family, const PlannedSlice& planned, Time changed);
  Outcome<void> Rewrite(const SliceRules& rules, const PlannedSlice& planned, Time changed);
  Outcome<void> Delete(const StoredObject& slice);
  // What came of a write, in upstream's words.
  template <class T>
  Outcome<void> Told(const Outcome<T>& written, std::string_view what) const;

  const Controller& controller_;
  const Cluster& cluster_;
  const Resource& slices_;
  const std::string manager_;
  std::map<std::string, std::set<std::string>> by_service_;  // Keys of slices by that of their Service.
  bool is_writing_ = false;
};

}  // namespace berth::server
