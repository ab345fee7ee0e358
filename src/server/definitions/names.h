// SPDX-License-Identifier: Apache-2.0
// Which names of a definition are accepted: those that no other definition of its group has.

#pragma once

#include <map>
#include <string>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

struct AcceptedNames {
  Json names;          // For status.acceptedNames.
  std::string reason;  // NoConflicts, or which name is in use.
  std::string message;
};

// What other definitions need to know of one.
struct TakenNames {
  std::string group;
  Json names;  // status.acceptedNames
};
using NamesByDefinition = std::map<std::string, TakenNames, std::less<>>;

AcceptedNames AcceptNames(const Json& definition, const NamesByDefinition& all);

// Writes them and the conditions that follow into the status.
void SetAcceptedNames(Json& definition, const AcceptedNames& accepted, Time now);

}  // namespace berth::server
