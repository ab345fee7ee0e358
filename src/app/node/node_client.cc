// SPDX-License-Identifier: Apache-2.0
#include "app/node/node_client.h"

#include <optional>
#include <utility>

#include "client/access/server_access.h"
#include "client/request/write_request.h"

namespace berth::node {
namespace {

constexpr std::string_view kNodes = "/api/v1/nodes";
// Names are all that is wanted of a list.
constexpr std::string_view kOnlyMetadata = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

std::string PathOf(const std::string& name) { return std::string(kNodes) + "/" + name; }

client::RestRequest Reading(std::string path) {
  client::RestRequest request;
  request.path = std::move(path);
  request.timeout = client::kWriteTimeout;
  return request;
}

}  // namespace

Result<std::unique_ptr<NodeClient>> NodeClient::Create(const std::string& kubeconfig) {
  client::ServerAccess access = BERTH_TRY(client::FindServer(kubeconfig, "", client::ClientEnvironment::OfProcess()));
  std::unique_ptr<NodeClient> nodes(new NodeClient());
  nodes->connection_ = BERTH_TRY(client::Connection::Create(nodes->loop_, std::move(access)));
  client::Connection& connection = *nodes->connection_;
  nodes->client_ = std::make_unique<client::RestClient>(
      connection.transport(), nodes->loop_, connection.credentials(),
      client::RestClient::Options{.server = connection.url(), .user_agent = "berth-node", .qps = 0, .burst = 0},
      nullptr);
  return nodes;
}

Result<std::string> NodeClient::Send(client::RestRequest request) {
  std::optional<Result<client::RestAnswer>> answer;
  client_->Send(std::move(request), [&](Result<client::RestAnswer> came) {
    answer = std::move(came);
    loop_.Stop();
  });
  loop_.Run();
  if (!answer->has_value()) return std::unexpected(answer->error());
  if (!(*answer)->ok()) return Fail(Code::kUnavailable, client::ErrorOf(**answer).message);
  return std::move((*answer)->body);
}

Result<std::vector<std::string>> NodeClient::Names() {
  client::RestRequest request = Reading(std::string(kNodes));
  request.accept = kOnlyMetadata;
  const std::string body = BERTH_TRY(Send(std::move(request)));
  const Json list = BERTH_TRY(server::ParseTree(body));
  std::vector<std::string> names;
  for (const Json& node : list["items"].items()) names.push_back(node["metadata"]["name"].text());
  return names;
}

Result<Json> NodeClient::Get(const std::string& name) {
  const std::string body = BERTH_TRY(Send(Reading(PathOf(name))));
  return server::ParseTree(body);
}

Result<void> NodeClient::Create(const Json& node) {
  BERTH_TRY(Send(client::JsonRequest("POST", std::string(kNodes), node.ToText())));
  return {};
}

Result<void> NodeClient::Delete(const std::string& name) {
  client::RestRequest request = Reading(PathOf(name));
  request.method = "DELETE";
  BERTH_TRY(Send(std::move(request)));
  return {};
}

Result<void> NodeClient::PatchStatus(const std::string& name, const Json& patch) {
  BERTH_TRY(Send(client::PatchRequest(PathOf(name) + "/status", patch.ToText())));
  return {};
}

}  // namespace berth::node
