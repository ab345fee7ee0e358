// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_name/node_name.h"

namespace berth::plugins {

using framework::StatusCode;

Result<std::unique_ptr<framework::Plugin>> NodeName::Create(const framework::PluginContext&) {
  return std::make_unique<NodeName>();
}

framework::PreFilterResult NodeName::PreFilter(framework::Cycle& cycle) const {
  const std::string& wanted = cycle.pod().node_name;
  if (wanted.empty()) return {};
  return {.status = {}, .node_names = std::vector{wanted}};
}

void NodeName::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const std::string& wanted = cycle.pod().node_name;
  if (wanted.empty()) return;
  const std::vector<std::string>& names = cycle.nodes().name;
  candidates.RejectIf(StatusCode::kUnschedulableAndUnresolvable, kReason,
                      [&](cluster::NodeSlot slot) { return names[slot.index] != wanted; });
}

}  // namespace berth::plugins
