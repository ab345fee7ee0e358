// SPDX-License-Identifier: Apache-2.0
// What a container gets where its author said nothing.

#pragma once

#include <string_view>

#include "server/model/json.h"

namespace berth::server {

// Sets a text that is absent or empty.
void DefaultText(Json& object, std::string_view name, std::string_view text);

// Regular, init and ephemeral containers alike.
void DefaultContainer(Json& container);

// Rounds amounts up to a thousandth, the finest that resources are counted in.
void RoundResourceList(Json* resources);

// The defaults that containers have in pods but not in templates: requests as large as the limits, ports of the host
// under `has_host_network`.
void DefaultPodContainer(Json& container, bool has_host_network);

}  // namespace berth::server
