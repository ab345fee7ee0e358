// SPDX-License-Identifier: Apache-2.0
// Lease: who leads and until when, as an object of coordination.k8s.io/v1.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/objects/meta.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::client {

struct LeaseRecord {
  std::string holder;  // Empty: it was given up.
  int64_t duration_seconds = 0;
  Time acquire_time;
  Time renew_time;
  int64_t transitions = 0;

  bool operator==(const LeaseRecord&) const = default;
};

struct Lease {
  api::ObjectMeta meta;       // Only what names the object: namespace, name, uid and resource version.
  std::string metadata_json;  // All of it, so that an update keeps what others wrote.
  LeaseRecord record;
};

Result<Lease> ParseLease(std::string_view json);

// The body that creates a lease, and the one that updates it.
std::string NewLeaseJson(std::string_view ns, std::string_view name, const LeaseRecord& record);
std::string LeaseJson(const Lease& lease, const LeaseRecord& record);

}  // namespace berth::client
