// SPDX-License-Identifier: Apache-2.0
#include "web/live_state.h"

#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "api/document/json_writer.h"
#include "explain/node_state.h"
#include "web/queue_summary.h"

namespace berth::web {
namespace {

using cluster::NodeTable;

constexpr Duration kQueuePeriod = Seconds(1);
// The queue is looked at less often if it is long, so that looking takes a few hundredths of the time at most.
constexpr Duration kQueuePeriodPerPod{20'000};

// The members of what was written as an object, without its braces.
std::string Members(api::JsonWriter& json) {
  std::string text = json.Take();
  return text.substr(1, text.size() - 2);
}

}  // namespace

void LiveState::ReadNode(const cluster::Cluster& cluster, uint32_t slot) {
  const NodeTable& nodes = cluster.nodes();
  // Loose rows are tried out by somebody, and are no nodes of the cluster.
  const bool is_there = slot < nodes.slot_limit() && nodes.in_use[slot] != 0 && nodes.has_node[slot] != 0;
  Row row;
  if (is_there) {
    const auto members = [&](const auto& write) {
      api::JsonWriter json;
      write(json.BeginObject());
      json.EndObject();
      return Members(json);
    };
    row.name =
        members([&](api::JsonWriter& json) { json.Key("slot").UInt(slot).Key("name").String(nodes.name[slot]); });
    row.kind = members([&](api::JsonWriter& json) { explain::WriteNodeKind(json, cluster, slot); });
    row.used = members([&](api::JsonWriter& json) { explain::WriteNodeUse(json, cluster, slot); });
  }
  if (rows_.size() <= slot) rows_.resize(slot + 1);
  Row& known = rows_[slot];
  if (row.name != known.name || row.kind != known.kind) {
    changed_[slot] = true;
  } else if (row.used != known.used) {
    changed_.try_emplace(slot, false);
  }
  known = std::move(row);
}

Result<void> LiveState::ReadNodes(const cluster::Cluster& cluster, explain::Pacer& pacer) {
  const NodeTable& nodes = cluster.nodes();
  // What changes during a pause is looked at the next time.
  const uint64_t until = nodes.change_count();
  const uint64_t devices_until = cluster.devices.change_count();
  std::set<uint32_t> slots;
  const bool is_told = seen_ && nodes.VisitChanges(*seen_, [&](cluster::NodeSlot slot) { slots.insert(slot.index); });
  const auto read = [&](uint32_t slot) -> Result<void> {
    ReadNode(cluster, slot);
    return pacer.Pause();
  };
  for (uint32_t slot = 0; is_told && seen_devices_ != devices_until && slot < nodes.slot_limit(); ++slot) {
    if (cluster.devices.LastChangeFor(nodes.name[slot]) > seen_devices_) slots.insert(slot);
    BERTH_CHECK_OK(pacer.Pause());
  }
  for (const uint32_t slot : slots) BERTH_CHECK_OK(read(slot));
  for (uint32_t slot = 0; !is_told && slot < nodes.slot_limit(); ++slot) BERTH_CHECK_OK(read(slot));
  // The log does not name rows at the end that are no more.
  for (size_t slot = nodes.slot_limit(); slot < rows_.size(); ++slot) {
    if (!rows_[slot].name.empty()) ReadNode(cluster, static_cast<uint32_t>(slot));
  }
  seen_ = until;
  seen_devices_ = devices_until;
  return {};
}

Result<void> LiveState::Read(const scheduler::Core& core, explain::Pacer& pacer, Time now) {
  BERTH_CHECK_OK(ReadNodes(core.cluster(), pacer));
  const bool is_due = now >= queue_due_ || queue_due_ - now > Minutes(1);  // The time of day may jump.
  if (!is_due) return {};
  QueueSummary summary = BERTH_TRY(SummarizeQueue(core, pacer, now));
  std::string figures = figures_ ? figures_() : "null";
  queue_changed_ = queue_changed_ || summary.json != queue_ || figures != told_figures_;
  queue_ = std::move(summary.json);
  told_figures_ = std::move(figures);
  queue_due_ = now + kQueuePeriod + kQueuePeriodPerPod * static_cast<int64_t>(summary.pods);
  return {};
}

std::string LiveState::QueueMembers() const {
  return fmt::format(",\"queue\":{},\"figures\":{}", queue_, told_figures_);
}

std::string LiveState::TakeDelta() {
  if (changed_.empty() && !queue_changed_) return {};
  std::string gone, nodes;
  for (const auto& [slot, is_all] : std::exchange(changed_, {})) {
    const Row& row = rows_[slot];
    if (row.name.empty()) {
      gone += fmt::format("{}{}", gone.empty() ? "" : ",", slot);
      continue;
    }
    if (!nodes.empty()) nodes += ',';
    nodes += is_all ? fmt::format("{{{},\"kind\":{{{}}},{}}}", row.name, row.kind, row.used)
                    : fmt::format("{{\"slot\":{},{}}}", slot, row.used);
  }
  const std::string queue = std::exchange(queue_changed_, false) ? QueueMembers() : "";
  return fmt::format("{{\"gone\":[{}],\"nodes\":[{}]{}}}", gone, nodes, queue);
}

std::string LiveState::Snapshot() const {
  std::string kinds, nodes;
  std::unordered_map<std::string_view, size_t> places;
  for (const Row& row : rows_) {
    if (row.name.empty()) continue;
    const auto [place, is_new] = places.try_emplace(row.kind, places.size());
    if (is_new) kinds += fmt::format("{}{{{}}}", kinds.empty() ? "" : ",", row.kind);
    nodes += fmt::format("{}{{{},\"kind\":{},{}}}", nodes.empty() ? "" : ",", row.name, place->second, row.used);
  }
  return fmt::format("{{\"kinds\":[{}],\"nodes\":[{}]{}}}", kinds, nodes, QueueMembers());
}

}  // namespace berth::web
