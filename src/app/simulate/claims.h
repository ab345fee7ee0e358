// SPDX-License-Identifier: Apache-2.0
// ClaimKeeper: stands in for the API server where the scheduler writes ResourceClaims.

#pragma once

#include <functional>
#include <string>
#include <utility>

#include "api/objects/object.h"
#include "cluster/cluster.h"
#include "framework/effects.h"

namespace berth::simulate {

class ClaimKeeper {
 public:
  using Put = std::function<void(api::Object)>;
  using Remove = std::function<void(std::string_view ns, std::string_view name)>;

  // `put` and `remove` change `cluster` before they return. REQUIRES: the cluster outlives this.
  ClaimKeeper(const cluster::Cluster& cluster, Put put, Remove remove)
      : cluster_(cluster), put_(std::move(put)), remove_(std::move(remove)) {}

  // Each returns why it is refused, or nothing.
  std::string Carry(const framework::BindClaim& bind, Time now);
  std::string Carry(const framework::UnreserveClaim& unreserve) { return Change(unreserve); }
  std::string Carry(const framework::DeallocateClaim& deallocate) { return Change(deallocate); }
  std::string Carry(const framework::DeleteClaim& order);

 private:
  template <class Effect>
  std::string Change(const Effect& effect);
  void Store(api::ResourceClaim claim);

  const cluster::Cluster& cluster_;
  Put put_;
  Remove remove_;
};

}  // namespace berth::simulate
