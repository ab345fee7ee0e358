// SPDX-License-Identifier: Apache-2.0
// Envelope: what stands around the message of an object in protobuf form.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::api::wire {

// What every object in protobuf form begins with.
inline constexpr std::string_view kMagic{"k8s\0", 4};

// Views of the bytes that were opened.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view message;

  // "v1 Node", for errors.
  std::string Name() const;
};

// Fails if the bytes are none, or what is in it is not in protobuf.
Result<Envelope> OpenEnvelope(std::string_view bytes);

}  // namespace berth::api::wire
