// SPDX-License-Identifier: Apache-2.0
// How the objects that are watched come over the wire, told by the content type of the answer, and what of them is
// read.

#pragma once

#include <array>
#include <string_view>

#include "api/wire/encoded_object.h"
#include "client/request/rest_client.h"

namespace berth::client {

// Large, and of no use to a scheduler.
inline constexpr std::array<std::string_view, 1> kLeftOut = {"managedFields"};
inline constexpr api::wire::ReadOptions kReadOptions = {.leave_out = kLeftOut, .leave_out_opaque = true};

// The type may carry parameters, such as ";stream=watch".
inline api::wire::Encoding EncodingOf(std::string_view content_type) {
  return content_type.starts_with(kProtobuf) ? api::wire::Encoding::kProtobuf : api::wire::Encoding::kJson;
}

}  // namespace berth::client
