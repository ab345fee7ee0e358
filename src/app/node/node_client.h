// SPDX-License-Identifier: Apache-2.0
// NodeClient: the nodes of a running cluster, asked for and changed by requests that are waited for.
//
// Errors are the server's words, or say why it did not answer.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/request/connection.h"
#include "client/request/rest_client.h"
#include "net/event_loop.h"
#include "server/model/json.h"

namespace berth::node {

using server::Json;

class NodeClient {
 public:
  // Of the cluster that the kubeconfig names. Nothing is sent yet.
  static Result<std::unique_ptr<NodeClient>> Create(const std::string& kubeconfig);
  NodeClient(const NodeClient&) = delete;
  NodeClient& operator=(const NodeClient&) = delete;

  Time now() const { return loop_.WallNow(); }

  Result<std::vector<std::string>> Names();
  // REQUIRES here and below: the name is one that a node may have.
  Result<Json> Get(const std::string& name);
  Result<void> Create(const Json& node);
  Result<void> Delete(const std::string& name);
  // A strategic merge patch of the status.
  Result<void> PatchStatus(const std::string& name, const Json& patch);

 private:
  NodeClient() = default;

  // The body of the answer, unless it is a refusal.
  Result<std::string> Send(client::RestRequest request);

  net::EventLoop loop_;
  std::unique_ptr<client::Connection> connection_;
  std::unique_ptr<client::RestClient> client_;
};

}  // namespace berth::node
