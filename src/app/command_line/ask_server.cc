// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/ask_server.h"

#include <memory>
#include <optional>
#include <utility>

#include "client/request/connection.h"
#include "net/event_loop.h"

namespace berth::app {

Result<std::string> AskServer(client::ServerAccess access, const std::string& user_agent, client::RestRequest request) {
  net::EventLoop loop;
  const std::unique_ptr<client::Connection> connection = BERTH_TRY(client::Connection::Create(loop, std::move(access)));
  client::RestClient client(connection->transport(), loop, connection->credentials(),
                            {.server = connection->url(), .user_agent = user_agent, .qps = 0, .burst = 0}, nullptr);
  std::optional<Result<client::RestAnswer>> answered;
  client.Send(std::move(request), [&](Result<client::RestAnswer> answer) {
    answered = std::move(answer);
    loop.Stop();
  });
  loop.Run();
  if (!*answered) return std::unexpected((*answered).error());
  client::RestAnswer& answer = **answered;
  if (answer.ok()) return std::move(answer.body);
  return Fail(answer.status == 400 ? Code::kInvalid : Code::kUnavailable, client::ErrorOf(answer).message);
}

}  // namespace berth::app
