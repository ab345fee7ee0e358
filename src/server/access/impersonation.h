// SPDX-License-Identifier: Apache-2.0
// Impersonation: requests in the name of somebody else, by the headers Impersonate-User, -Group, -Uid and -Extra-KEY.
//
// There are several ways to be allowed that: rights to act so in certain requests (`impersonate-on:MODE:VERB` and
// `impersonate:MODE`), and the right `impersonate` alone. They are tried in upstream's order, but the one that a user
// was last let in by comes first; the error is that of the first.
//
// Thread: that of the store.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "net/transport.h"
#include "server/access/attributes.h"
#include "server/access/roles.h"

namespace berth::server {

class Impersonation {
 public:
  using Authorize = std::function<Decision(const User&, const Attributes&)>;

  // As whom the request shall be carried out; the requestor, if it is in nobody's name. Fails if that is not allowed.
  Outcome<User> Check(const User& requestor, const std::vector<net::Header>& headers, const Attributes& attributes,
                      const Authorize& authorize);

 private:
  boost::unordered_flat_map<std::string, size_t> last_modes_;  // By user; bounded.
};

}  // namespace berth::server
