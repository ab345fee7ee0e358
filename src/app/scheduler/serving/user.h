// SPDX-License-Identifier: Apache-2.0
// User: who makes a request to the serving port.

#pragma once

#include <map>
#include <string>
#include <vector>

namespace berth::scheduler_app {

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool operator==(const User&) const = default;
};

}  // namespace berth::scheduler_app
