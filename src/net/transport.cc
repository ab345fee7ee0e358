// SPDX-License-Identifier: Apache-2.0
#include "net/transport.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "net/header.h"

namespace berth::net {

std::string_view ResponseHead::Find(std::string_view name) const { return FindHeader(headers, name); }

Transport::CallId Send(Transport& transport, Request request, std::move_only_function<void(Result<Response>)> done,
                       size_t limit) {
  struct Collector {
    Response response;
    bool too_long = false;
    std::move_only_function<void(Result<Response>)> done;
  };
  const auto collector = std::make_shared<Collector>();
  collector->done = std::move(done);
  Receiver receiver;
  receiver.on_head = [collector](const ResponseHead& head) { collector->response.head = head; };
  receiver.on_body = [collector, limit](std::string_view piece) {
    std::string& body = collector->response.body;
    if (collector->too_long || piece.size() > limit - body.size()) {
      collector->too_long = true;
      return;
    }
    body.append(piece);
  };
  receiver.on_end = [collector, limit](Result<void> end) {
    if (end && collector->too_long) end = Fail(Code::kLimit, fmt::format("the answer has more than {} bytes", limit));
    if (!end) return collector->done(std::unexpected(std::move(end).error()));
    collector->done(std::move(collector->response));
  };
  return transport.Start(std::move(request), std::move(receiver));
}

}  // namespace berth::net
