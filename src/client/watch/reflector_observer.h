// SPDX-License-Identifier: Apache-2.0
// ReflectorObserver: hears what reflectors do, for metrics and logs.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/time.h"
#include "client/watch/watched_resource.h"

namespace berth::client {

// Thread: that of the reflectors.
class ReflectorObserver {
 public:
  virtual ~ReflectorObserver() = default;

  // A list is complete.
  virtual void OnList(const WatchedResource& /*resource*/, Duration /*duration*/, size_t /*items*/) {}
  // A watch ended.
  virtual void OnWatch(const WatchedResource& /*resource*/, Duration /*duration*/, size_t /*events*/) {}
  // Everything up to there has been delivered.
  virtual void OnResourceVersion(const WatchedResource& /*resource*/, std::string_view /*resource_version*/) {}
  // An object could not be read; told of once for each version.
  virtual void OnSkipped(const WatchedResource& /*resource*/, const std::string& /*why*/) {}
  // An object is delivered, but without the source that extenders are to be sent.
  virtual void OnSourceMissing(const WatchedResource& /*resource*/, const std::string& /*why*/) {}
  // The server answered, or did not; in that case it will be asked again.
  virtual void OnReached(const WatchedResource& /*resource*/) {}
  virtual void OnUnreachable(const WatchedResource& /*resource*/, const std::string& /*message*/) {}
  // A list or watch was refused or came to nothing; it will be tried again.
  virtual void OnFailure(const WatchedResource& /*resource*/, const std::string& /*message*/) {}
};

}  // namespace berth::client
