// SPDX-License-Identifier: Apache-2.0
// PrioritySort: orders the queue by priority, highest first, and by time of entry among equals.

#pragma once

#include "framework/registry.h"

namespace berth::plugins {

class PrioritySort final : public framework::Plugin, public framework::QueueSortPlugin {
 public:
  static constexpr std::string_view kName = "PrioritySort";

  std::string_view name() const override { return kName; }
  bool Less(const framework::QueuedPod& a, const framework::QueuedPod& b, const cluster::Cluster&) const override;
};

}  // namespace berth::plugins
