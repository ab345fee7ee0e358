// SPDX-License-Identifier: Apache-2.0
// SortAndBind: what every profile must have, for tests of everything else.

#pragma once

#include "framework/configuration.h"
#include "framework/plugin.h"

namespace berth::framework {

class SortAndBind : public Plugin, public QueueSortPlugin, public BindPlugin {
 public:
  static constexpr std::string_view kName = "SortAndBind";
  std::string_view name() const override { return kName; }
  bool Less(const QueuedPod&, const QueuedPod&, const cluster::Cluster&) const override { return false; }
  Status Bind(Cycle&, NodeSlot, Effects&) const override { return Status::Success(); }
};

inline void EnableSortAndBind(ProfileConfiguration& configuration) {
  configuration.plugins[ExtensionPoint::kQueueSort].enabled = {{"SortAndBind"}};
  configuration.plugins[ExtensionPoint::kBind].enabled = {{"SortAndBind"}};
}

}  // namespace berth::framework
