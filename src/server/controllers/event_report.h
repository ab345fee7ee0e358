// SPDX-License-Identifier: Apache-2.0
// Events by which controllers tell users why something is as it is.

#pragma once

#include <string>
#include <string_view>

#include "server/controllers/controller.h"

namespace berth::server {

struct Notice {
  std::string_view type;  // Normal or Warning.
  std::string_view reason;
  std::string message;
  std::string field = {};      // The part of the object that it is about; empty: all of it.
  std::string_view host = {};  // The node of the kubelet that reports it.
};

// Writes an event about the object, in the name of `reporter`. The same notice about the same object is one event,
// however often and by how many processes it was reported; it is counted again when it was last written minutes ago, so
// that it is not forgotten while it holds. Many that differ in their words alone become one too.
void ReportEvent(const Cluster& cluster, const StoredObject& about, std::string_view reporter, const Notice& notice);

}  // namespace berth::server
