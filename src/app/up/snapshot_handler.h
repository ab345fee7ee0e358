// SPDX-License-Identifier: Apache-2.0
// SnapshotHandler: /berth/v1/snapshot, by which a cluster is saved as a whole and reset to what was saved.
//
//   GET   all objects, as one List in JSON
//   PUT   makes the cluster hold the objects of such a List again, and tells how many had to be written
//
// Thread: that of the event loop.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/http_server.h"
#include "server/objects/objects.h"

namespace berth::up {

// Of a snapshot that is restored while a server runs; larger ones are for --import.
inline constexpr uint64_t kSnapshotBytesMax = uint64_t{64} << 20;

class SnapshotHandler : public net::HttpHandler {
 public:
  // REQUIRES: the objects outlive it.
  explicit SnapshotHandler(server::Objects& objects) : objects_(objects) {}

  static bool Takes(const net::ServerRequest& request);
  void OnRequest(net::ServerRequest request, net::Responder responder) override;

 private:
  void Restore(net::Responder responder);

  server::Objects& objects_;
  std::weak_ptr<int> restoring_;  // Lives while the body of one is being read.
};

}  // namespace berth::up
