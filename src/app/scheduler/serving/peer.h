// SPDX-License-Identifier: Apache-2.0
// Peer: whoever sent a request, while it waits for its answer.
//
// Thread: that of the server's loop.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "net/responder.h"

namespace berth::scheduler_app {

struct Peer {
  using OnBody = std::move_only_function<void(std::string)>;
  // Brings the body of the request, once. If it is larger than so many bytes the peer is told so, and `OnBody` never
  // hears of it.
  std::function<void(uint64_t bytes_max, OnBody)> read_body;
  // Calls back if the peer goes before it is answered.
  std::function<void(std::move_only_function<void()>)> on_gone;

  static Peer Of(const std::shared_ptr<net::Responder>& responder) {
    return {
        .read_body = [responder](uint64_t bytes_max, OnBody done) { responder->ReadBody(bytes_max, std::move(done)); },
        .on_gone = [responder](std::move_only_function<void()> gone) { responder->OnGone(std::move(gone)); }};
  }
};

}  // namespace berth::scheduler_app
