// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/list_cluster.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "client/request/connection.h"
#include "client/request/rest_client.h"
#include "net/event_loop.h"
#include "server/store/dump.h"

namespace berth::app {
namespace {

class Listing {
 public:
  Listing(net::EventLoop& loop, client::Connection& connection, const std::string& user_agent,
          const std::function<bool(const server::Resource&)>& wants,
          const std::function<void(const server::Json&)>& take)
      : loop_(loop),
        client_(connection.transport(), loop, connection.credentials(),
                {.server = connection.url(), .user_agent = user_agent, .qps = 0, .burst = 0}, nullptr),
        order_(server::LoadOrder(catalog_)),
        take_(take) {
    std::erase_if(order_, [&](const server::Resource* resource) { return !wants(*resource); });
  }

  Result<void> Run() {
    Ask("");
    if (next_ < order_.size()) loop_.Run();
    if (failure_) return std::unexpected(*failure_);
    return {};
  }

 private:
  void Ask(std::string_view continues) {
    if (next_ == order_.size()) return loop_.Stop();
    const server::Resource& resource = *order_[next_];
    client::RestRequest request;
    request.path = resource.group.empty()
                       ? fmt::format("/api/{}/{}", resource.version, resource.plural)
                       : fmt::format("/apis/{}/{}/{}", resource.group, resource.version, resource.plural);
    request.query = "limit=500";
    if (!continues.empty()) request.query += fmt::format("&continue={}", continues);
    client_.Send(std::move(request), [this](Result<client::RestAnswer> answer) { OnAnswer(std::move(answer)); });
  }

  void OnAnswer(Result<client::RestAnswer> answer) {
    if (!answer) return End(answer.error());
    // A kind that this server does not have.
    if (answer->status == 404) {
      ++next_;
      return Ask("");
    }
    if (!answer->ok()) return End({Code::kUnavailable, client::ErrorOf(*answer).message});
    const Result<server::Json> list = server::ParseTree(answer->body);
    if (!list) return End(list.error());
    const server::Resource& resource = *order_[next_];
    for (server::Json item : (*list)["items"].items()) {
      item.Set("apiVersion", resource.api_version);
      item.Set("kind", resource.kind);
      take_(item);
    }
    const std::string continues = (*list)["metadata"]["continue"].text();
    if (continues.empty()) ++next_;
    Ask(continues);
  }

  void End(Error error) {
    failure_ = std::move(error);
    loop_.Stop();
  }

  net::EventLoop& loop_;
  const server::Catalog catalog_;
  client::RestClient client_;
  std::vector<const server::Resource*> order_;
  size_t next_ = 0;
  const std::function<void(const server::Json&)>& take_;
  std::optional<Error> failure_;
};

}  // namespace

Result<void> ListCluster(client::ServerAccess access, const std::string& user_agent,
                         const std::function<bool(const server::Resource&)>& wants,
                         const std::function<void(const server::Json&)>& take) {
  net::EventLoop loop;
  const std::unique_ptr<client::Connection> connection = BERTH_TRY(client::Connection::Create(loop, std::move(access)));
  return Listing(loop, *connection, user_agent, wants, take).Run();
}

}  // namespace berth::app
