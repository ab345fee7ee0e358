// SPDX-License-Identifier: Apache-2.0
// Admission: what the cluster's state has to say about a write: rules that no object can be judged by alone.
//
// The rules are upstream's default admission plugins, as far as their effects can be seen: the life of namespaces,
// ranges of limits, service accounts, priorities, tolerations of failing nodes, taints of new nodes, protection of
// volumes in use, default storage classes, classes of runtimes, quotas; and the addresses of services.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "server/model/status.h"
#include "server/store/store.h"

namespace berth::server {

enum class Verb : uint8_t { kCreate, kUpdate, kDelete };

// Tells who makes a request, as UserInfo of the API. Null: the cluster itself. Few ask.
using WhoAsks = std::function<Json()>;

struct AdmissionRequest {
  Verb verb{};
  const Resource& resource;
  std::string_view subresource;  // Empty: the object itself.
  std::string_view ns;
  std::string_view name;
  Json* object = nullptr;     // As it shall be; a rule may change it. Null for deletions.
  const Json* old = nullptr;  // As it is. Null for creations.
  Time now = {};
  WhoAsks user = {};
  Random* random = nullptr;  // For names; null: that of the admission.
};

// What a quota counts once a request has been carried out.
struct QuotaCharge {
  ObjectPtr quota;
  Json used;
};

struct ClusterView;

// How much of a cluster there is besides the API.
enum class Extent : uint8_t {
  kApi,    // Nobody makes service accounts: pods have none unless they say so.
  kPart,   // Pods that name no account get `default`. Accounts and runtime classes that are not there are elsewhere.
  kWhole,  // What a pod names must be there, and it gets what is due to it.
};

class Admission {
 public:
  Admission(const Store& store, const Catalog& catalog, uint64_t seed)
      : store_(store), catalog_(catalog), random_(seed) {}

  // Before the object is validated: it may be changed.
  Outcome<void> Admit(const AdmissionRequest& request);
  // Afterwards, as it will be. What is returned is to be written just before it.
  Outcome<std::vector<QuotaCharge>> Check(const AdmissionRequest& request);
  void SetExtent(Extent extent) { extent_ = extent; }

 private:
  ClusterView ViewFor(const AdmissionRequest& request);

  const Store& store_;
  const Catalog& catalog_;
  Random random_;  // For names.
  Extent extent_ = Extent::kApi;
};

}  // namespace berth::server
