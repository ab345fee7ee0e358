// SPDX-License-Identifier: Apache-2.0
// What is valid in a definition of a custom resource, but not what its author believes.

#pragma once

#include <string>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

// In upstream's words: formats that nobody checks, and sets of things that have no value of their own.
std::vector<std::string> DefinitionWarnings(const Json& definition);

}  // namespace berth::server
