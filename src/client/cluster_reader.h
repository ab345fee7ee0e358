// SPDX-License-Identifier: Apache-2.0
// ClusterReader: brings the core what exists in the cluster, and every change from then on.
//
// Informers read it from an API server over its protocol. A server in the same process can hand its objects over
// directly.
//
// Thread: that of the client.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/orders/orders.h"

namespace berth::client {

class ClusterReader {
 public:
  using Callback = std::move_only_function<void()>;

  virtual ~ClusterReader() = default;

  // Calls `on_synced` once everything that existed has been delivered.
  virtual void Start(Callback on_synced) = 0;
  virtual void Stop() = 0;
  // The sink is not full any more.
  virtual void Resume() = 0;

  // Delivers a pod that was read by itself, or found gone, ahead of the rest.
  virtual void ReadAhead(PodRead read) = 0;
  // The same for a claim that was written.
  virtual void ReadAhead(ClaimRead read) = 0;

  // Calls `done` once everything has been delivered that had happened before this call to what a decision could book
  // twice: nodes, pods, volumes and claims. A new leader waits for it, so that it knows all that the last one did.
  virtual void Refresh(Callback done) = 0;

  // The nodes that have been delivered, sorted.
  virtual std::vector<std::string> NodeNames() const = 0;
};

}  // namespace berth::client
