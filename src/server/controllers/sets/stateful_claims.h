// SPDX-License-Identifier: Apache-2.0
// StatefulClaims: the claims of one pod of a StatefulSet: made before the pod, and owned as the set's retention policy
// says, so that the garbage collector takes those away that shall go.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/controllers/pod_control.h"

namespace berth::server {

class StatefulClaims {
 public:
  // `is_condemned`: its number is beyond those that the set has. REQUIRES: all outlive this.
  StatefulClaims(const Controller& controller, const Cluster& cluster, const StoredObject& set, const Json& spec,
                 int64_t ordinal, bool is_condemned);

  // Makes those that are missing, and reports it. Fails if one cannot be made, or is about to go.
  Outcome<void> Make(const PodControl& control) const;
  // Whether one still belongs to an earlier pod of this name and goes with it.
  bool AreStale() const;
  // Makes them belong to the set, to the pod or to nobody.
  Outcome<void> SetOwners(const PodControl& control, const StoredObject& pod) const;

 private:
  enum class Owner : uint8_t { kNobody, kSet, kPod };

  bool keeps_all() const { return !goes_with_set_ && !goes_with_scale_; }
  std::string NameOf(const Json& claim_template) const;
  Json Body(const Json& claim_template) const;
  Owner Wanted() const;
  bool IsOfSet(const Json& owner) const;
  bool IsOfPod(const Json& owner) const;
  // The owners that a claim shall have; null if it has them, or is not to be touched.
  Json NextOwners(const Json& owners, const StoredObject& pod) const;
  bool HasForeignController(const Json& owners, const StoredObject& pod) const;

  const Controller& controller_;
  const Cluster& cluster_;
  const StoredObject& set_;
  const Json& spec_;
  const int64_t ordinal_;
  const bool is_condemned_;
  const bool goes_with_set_;    // When the set is deleted.
  const bool goes_with_scale_;  // When the set gets smaller.
  const std::string pod_name_;
  const Resource& resource_;
};

}  // namespace berth::server
