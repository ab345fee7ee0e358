// SPDX-License-Identifier: Apache-2.0
// Call: one request to the API server on its way to an answer.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.h"
#include "server/access/user.h"
#include "server/model/media.h"
#include "server/model/resource.h"
#include "server/rest/exchange.h"
#include "server/rest/target.h"

namespace berth::server {

struct Call {
  net::ServerRequest request;
  std::unique_ptr<Exchange> exchange;
  User user = {};  // Who makes it.
  Target target = {};
  Media media = {};  // Of the answer.

  // What the path names. Null: no resource.
  const Resource* resource = nullptr;
  std::string ns = {};    // Empty: all, or the resource has none.
  std::string name = {};  // Empty: the collection.
  std::string subresource = {};

  std::vector<std::string> warnings = {};  // For the client.

  // Who writes, for the managed fields: what the query says, else the client's program.
  std::string Manager() const;
};

}  // namespace berth::server
