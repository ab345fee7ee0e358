// SPDX-License-Identifier: Apache-2.0
// ClusterChecks: what must be true of the API server's objects at every version, whatever live schedulers do to them.
//
// Each check returns what is wrong, or nothing.

#pragma once

#include <string>
#include <string_view>

#include "sim/protocol/served_cluster.h"

namespace berth::sim {

class ClusterChecks {
 public:
  // REQUIRES: the cluster outlives this.
  explicit ClusterChecks(const ServedCluster& cluster) : cluster_(cluster) {}

  // After a write: nodes hold their pods, and nothing is given away twice.
  std::string CheckWrite(const server::Change& change) const;
  // A scheduler that elects a leader sends a request: only the leader binds.
  std::string CheckSender(const std::string& name, const net::Request& request) const;
  // A binding may be repeated, but none is asked for that contradicts an earlier one.
  std::string CheckBinding(const server::StoredObject& pod, std::string_view node) const;

 private:
  std::string CheckNode(std::string_view node) const;
  std::string CheckVolumes() const;
  std::string CheckDevices() const;

  const ServedCluster& cluster_;
};

}  // namespace berth::sim
