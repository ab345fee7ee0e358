// SPDX-License-Identifier: Apache-2.0
// BasicChecks: what v1.16 looks at before any predicate: the claims that the pod names must be there to stay.
//
// A pod without them is not unschedulable: the attempt fails.

#pragma once

#include <memory>

#include "framework/registry.h"

namespace berth::plugins::legacy::v116 {

class BasicChecks final : public framework::Plugin, public framework::PreFilterPlugin {
 public:
  static constexpr std::string_view kName = "BasicChecks";

  std::string_view name() const override { return kName; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
};

}  // namespace berth::plugins::legacy::v116
