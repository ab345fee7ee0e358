// SPDX-License-Identifier: Apache-2.0
// ClaimSources: ResourceClaims without devices as the API server sent them.
//
// A claim is written as a whole, but the core keeps only what scheduling reads of it. One without devices is likely to
// be written soon; what the watch brought of it is kept here until then, which saves reading it again. It goes when it
// is taken, gets devices elsewhere or is deleted. Where there is no more room, new ones are not kept, and are read.
//
// Thread: that of the client. Cost: a copy of the bytes.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/wire/encoded_object.h"

namespace berth::client {

class ClaimSources {
 public:
  static constexpr size_t kBytesMax = size_t{64} << 20;

  explicit ClaimSources(size_t bytes_max = kBytesMax) : bytes_max_(bytes_max) {}

  // Another version of the claim, which is to be kept from now on, if there is room.
  void Keep(std::string_view ns, std::string_view name, const api::wire::EncodedObject& claim);
  void Forget(std::string_view ns, std::string_view name);
  void Clear();

  // The claim as upstream would write it, without managedFields; it is forgotten. Nothing: there is none that can be
  // read.
  std::optional<std::string> Take(std::string_view ns, std::string_view name);

  size_t size() const { return claims_.size(); }

 private:
  struct Source {
    api::wire::Encoding encoding{};
    std::string bytes;
  };

  const size_t bytes_max_;
  boost::unordered_flat_map<std::string, Source> claims_;  // By namespace/name.
  size_t bytes_ = 0;
};

}  // namespace berth::client
