// SPDX-License-Identifier: Apache-2.0
// Call: one request to the API server on its way to an answer.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.h"
#include "server/access/user.h"
#include "server/model/media.h"
#include "server/model/resource.h"
#include "server/rest/exchange.h"
#include "server/rest/target.h"
#include "server/store/stored_object.h"
#include "server/webhooks/webhook_dialog.h"

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

  // Of a request that webhooks may have a say in, which is handled again when they have answered; null otherwise.
  std::shared_ptr<WebhookDialog> dialog = {};
  // What was written, if only its answer is missing: the object and the status.
  ObjectPtr written = {};
  int written_status = 0;
  // Objects as a converter shows them, by their revision.
  std::map<Revision, Json> shown = {};
  bool is_repeated = false;
  // What a deletion of many deletes, and how many of them it has done with.
  std::optional<std::vector<ObjectPtr>> chosen = {};
  size_t chosen_done = 0;

  // Who writes, for the managed fields: what the query says, else the client's program.
  std::string Manager() const;
};

}  // namespace berth::server
