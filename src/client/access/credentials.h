// SPDX-License-Identifier: Apache-2.0
// Credentials: what tells the API server who is asking.
//
// They give the headers of a request, at once or when they have been fetched, and hear when the server refused them, so
// that the next request gets fresh ones. Client certificates belong to the connection and not here.
//
// Thread: that of the client.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/transport.h"
#include "runtime/timers.h"

namespace berth::client {

struct Authorization {
  std::vector<net::Header> headers;
  uint64_t version = 0;  // Of the secret in them.
};

class Credentials {
 public:
  using Ready = std::move_only_function<void(Result<Authorization>)>;

  virtual ~Credentials() = default;

  // Calls `ready` once, perhaps before it returns, and not at all if the credentials go first.
  virtual void Get(Ready ready) = 0;
  // The server answered 401 to a request with the headers of `version`.
  virtual void OnUnauthorized(uint64_t version) = 0;
};

// No headers: anonymous, or known by a client certificate.
std::unique_ptr<Credentials> NoCredentials();
std::unique_ptr<Credentials> BearerToken(std::string token);
std::unique_ptr<Credentials> BasicAuth(std::string_view user, std::string_view password);

// The token in a file that somebody else renews: read again after 50 seconds and after a refusal. While it cannot be
// read, the last token stays, at first `token`; if there is none, that is the error.
std::unique_ptr<Credentials> TokenFile(runtime::Timers& timers, std::string path, std::string token = {});

// Whose name the server shall act in.
struct Impersonation {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool empty() const { return user.empty() && uid.empty() && groups.empty() && extra.empty(); }
};
std::unique_ptr<Credentials> Impersonating(std::unique_ptr<Credentials> credentials, const Impersonation& as);

}  // namespace berth::client
