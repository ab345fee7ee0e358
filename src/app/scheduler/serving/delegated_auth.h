// SPDX-License-Identifier: Apache-2.0
// DelegatedAuth: who may ask the serving port for what, as the API server says.
//
// A request is made by whom a front proxy vouches for, by the owner of a client certificate, by the owner of a token
// (the API server knows), or else by system:anonymous. It is let in if its path is open to all, if its user belongs to
// system:masters, or if the API server allows it. Answers of the API server are remembered for some seconds; while too
// many are awaited, requests are turned away. Without an API server to ask, tokens say nothing and only open paths and
// system:masters are let in.
//
// Thread: that of the client.

#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/scheduler/flags/options.h"
#include "app/scheduler/serving/answer.h"
#include "app/scheduler/serving/authentication_config.h"
#include "app/scheduler/serving/reviews.h"
#include "app/scheduler/serving/user.h"
#include "client/request/rest_client.h"
#include "net/http_server.h"
#include "runtime/timers.h"

namespace berth::scheduler_app {

class DelegatedAuth {
 public:
  // Nothing: the request is let in. Otherwise what it gets instead.
  using Done = std::move_only_function<void(std::optional<Answer>)>;

  // The clients may be null. All must outlive this.
  DelegatedAuth(const AuthenticationOptions& authentication, const AuthorizationOptions& authorization,
                const AuthenticationConfig& config, client::RestClient* authentication_client,
                client::RestClient* authorization_client, runtime::Timers& timers);

  // `done` is called once, perhaps at once, and not at all if this goes first.
  void Admit(const net::ServerRequest& request, Done done);

 private:
  // The user, or what is said to credentials that prove nothing.
  using Authenticated = std::move_only_function<void(std::expected<User, Answer>)>;

  void Authenticate(const net::ServerRequest& request, Authenticated done);
  void AuthenticateToken(std::string token, Authenticated done);
  void Authorize(const User& user, std::string verb, std::string path, Done done);
  bool IsOpen(std::string_view path) const;

  const AuthorizationOptions& authorization_;
  const AuthenticationConfig& config_;
  std::unique_ptr<Reviews> token_reviews_;   // Null: nobody to ask.
  std::unique_ptr<Reviews> access_reviews_;  // Null: nobody to ask.
};

}  // namespace berth::scheduler_app
