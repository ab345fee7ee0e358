// SPDX-License-Identifier: Apache-2.0
// How the objects that are watched come over the wire, told by the content type of the answer.

#pragma once

#include <array>
#include <string_view>

#include "api/value.h"
#include "api/wire/protobuf.h"
#include "api/wire/watch_stream.h"
#include "base/result.h"
#include "client/rest_client.h"

namespace berth::client {

// Large, and of no use to a scheduler.
inline constexpr std::array<std::string_view, 1> kLeftOut = {"managedFields"};
inline constexpr api::wire::ProtobufOptions kReadOptions = {kLeftOut};

// The type may carry parameters, such as ";stream=watch".
inline api::wire::Encoding EncodingOf(std::string_view content_type) {
  return content_type.starts_with(kProtobuf) ? api::wire::Encoding::kProtobuf : api::wire::Encoding::kJson;
}

inline Result<api::Document> ParseObject(std::string_view content_type, std::string_view body) {
  if (EncodingOf(content_type) == api::wire::Encoding::kProtobuf) return api::wire::ParseProtobuf(body, kReadOptions);
  return api::ParseJson(body);
}

}  // namespace berth::client
