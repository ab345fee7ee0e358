// SPDX-License-Identifier: Apache-2.0
// Lists put together from objects that are encoded already.

#pragma once

#include <span>
#include <string>

#include "server/model/json.h"
#include "server/store/stored_object.h"

namespace berth::server {

// `metadata` is that of the list. Items lose their kind and apiVersion, which the list says for all of them.
std::string EncodeJsonList(const Resource& resource, const Json& metadata, std::span<const ObjectPtr> objects);
std::string EncodeProtobufList(const Resource& resource, const Json& metadata, std::span<const ObjectPtr> objects);

}  // namespace berth::server
