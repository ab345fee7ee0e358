// SPDX-License-Identifier: Apache-2.0
// DefaultBinder: binds the pod to the chosen node.

#pragma once

#include "framework/registry.h"

namespace berth::plugins {

class DefaultBinder final : public framework::Plugin, public framework::BindPlugin {
 public:
  static constexpr std::string_view kName = "DefaultBinder";

  std::string_view name() const override { return kName; }
  framework::Status Bind(framework::Cycle& cycle, cluster::NodeSlot node, framework::Effects& effects) const override;
};

}  // namespace berth::plugins
