// SPDX-License-Identifier: Apache-2.0
// Attributes: what a request wants, in the words in which rights are given.

#pragma once

#include <string>

#include "server/access/user.h"
#include "server/model/status.h"

namespace berth::server {

struct Attributes {
  bool is_resource = false;  // Otherwise it is about a path.
  std::string verb = {};     // Of a path: the method in lower case.
  std::string path = {};
  std::string group = {};
  std::string resource = {};
  std::string subresource = {};
  std::string ns = {};  // Empty: all, or it has none.
  std::string name = {};

  // The resource with its subresource, such as pods/log.
  std::string FullResource() const { return subresource.empty() ? resource : resource + "/" + subresource; }
};

// `pods is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "default"`.
Refusal NotAuthorized(const User& user, const Attributes& attributes, const std::string& reason);
// `pods "x" is forbidden: why`, of a resource by name.
Refusal ForbiddenResource(const std::string& group, const std::string& resource, const std::string& name,
                          const std::string& why);

}  // namespace berth::server
