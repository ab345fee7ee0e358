// SPDX-License-Identifier: Apache-2.0
// Trees of JSON under the server's own names.

#pragma once

#include "api/document/json_tree.h"

namespace berth::server {

using api::Json;
using api::ParseTree;

}  // namespace berth::server
