// SPDX-License-Identifier: Apache-2.0
// Target: the path and query of a request, decoded.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth::server {

class Query {
 public:
  // The value of the first parameter of this name; "" if there is none.
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  // Upstream takes "0" and "false", in any case, for no; absent is no too.
  bool IsSet(std::string_view name) const;
  void Add(std::string name, std::string value) { parameters_.emplace_back(std::move(name), std::move(value)); }
  // In place of all of this name.
  void Set(std::string_view name, std::string value);

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

// Parts of a namespace itself; whatever else stands behind its name is a resource in it.
inline bool IsPartOfNamespace(std::string_view segment) { return segment == "status" || segment == "finalize"; }

struct Target {
  std::string path;                   // Decoded, without the query.
  std::vector<std::string> segments;  // Of the path, each decoded; no empty ones.
  Query query;
};

// Fails if an escape is malformed.
Result<Target> ParseTarget(std::string_view target);

}  // namespace berth::server
