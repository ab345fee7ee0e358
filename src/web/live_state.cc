// SPDX-License-Identifier: Apache-2.0
#include "web/live_state.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/document/json_writer.h"
#include "explain/taints.h"
#include "web/queue_summary.h"

namespace berth::web {
namespace {

using cluster::NodeTable;

constexpr Duration kQueuePeriod = Seconds(1);
// The queue is looked at less often if it is long, so that looking takes a few hundredths of the time at most.
constexpr Duration kQueuePeriodPerPod{20'000};

// By which the node lifecycle controller says that a node is not ready, or not heard of.
bool IsOfReadiness(const api::Taint& taint) {
  return taint.key == "node.kubernetes.io/not-ready" || taint.key == "node.kubernetes.io/unreachable";
}

bool IsReady(const api::Node& node) {
  const auto ready = std::ranges::find(node.conditions, "Ready", &api::NodeCondition::type);
  if (ready != node.conditions.end()) return ready->status == "True";
  return std::ranges::none_of(node.taints, IsOfReadiness);
}

// The members of what was written as an object, without its braces.
std::string Members(api::JsonWriter& json) {
  std::string text = json.Take();
  return text.substr(1, text.size() - 2);
}

// cpu in thousandths of a core, the rest in units. Scalars that are zero are left out.
template <class ScalarOf>
void WriteAmounts(api::JsonWriter& json, const NodeTable& nodes, int64_t cpu, int64_t memory, int64_t ephemeral,
                  int64_t pods, ScalarOf scalar_of) {
  json.BeginObject().Key("cpu").Int(cpu).Key("memory").Int(memory);
  json.Key("ephemeral-storage").Int(ephemeral).Key("pods").Int(pods);
  for (const auto& [id, column] : nodes.scalars()) {
    const int64_t amount = scalar_of(column);
    if (amount != 0) json.Key(column.name->text).Int(amount);
  }
  json.EndObject();
}

std::string FixedPart(const NodeTable& nodes, uint32_t i) {
  const api::Node& node = *nodes.node[i];
  api::JsonWriter json;
  json.BeginObject().Key("slot").UInt(i).Key("name").String(nodes.name[i]);
  json.Key("ready").Bool(IsReady(node)).Key("cordoned").Bool(node.unschedulable);
  json.Key("taints").BeginArray();
  for (const api::Taint& taint : node.taints) {
    const bool says_nothing_new = node.unschedulable && taint.key == explain::kCordonTaintKey;
    if (!says_nothing_new && !IsOfReadiness(taint)) json.String(explain::TaintText(taint));
  }
  json.EndArray().Key("labels").BeginObject();
  for (const auto& [key, value] : node.meta.labels) json.Key(key).String(value);
  json.EndObject().Key("capacity");
  WriteAmounts(json, nodes, nodes.allocatable_cpu[i], nodes.allocatable_memory[i], nodes.allocatable_ephemeral[i],
               nodes.allocatable_pods[i], [&](const cluster::ScalarColumn& column) { return column.allocatable[i]; });
  json.EndObject();
  return Members(json);
}

std::string UsedPart(const NodeTable& nodes, uint32_t i) {
  api::JsonWriter json;
  json.BeginObject().Key("used");
  WriteAmounts(json, nodes, nodes.requested_cpu[i], nodes.requested_memory[i], nodes.requested_ephemeral[i],
               nodes.pod_count[i], [&](const cluster::ScalarColumn& column) { return column.requested[i]; });
  json.EndObject();
  return Members(json);
}

}  // namespace

void LiveState::ReadNode(const NodeTable& nodes, uint32_t slot) {
  // Loose rows are tried out by somebody, and are no nodes of the cluster.
  const bool is_there = slot < nodes.slot_limit() && nodes.in_use[slot] != 0 && nodes.has_node[slot] != 0;
  Row row;
  if (is_there) row = {.fixed = FixedPart(nodes, slot), .used = UsedPart(nodes, slot)};
  if (rows_.size() <= slot) rows_.resize(slot + 1);
  Row& known = rows_[slot];
  if (row.fixed != known.fixed) {
    changed_[slot] = true;
  } else if (row.used != known.used) {
    changed_.try_emplace(slot, false);
  }
  known = std::move(row);
}

Result<void> LiveState::ReadNodes(const NodeTable& nodes, explain::Pacer& pacer) {
  // What changes during a pause is looked at the next time.
  const uint64_t until = nodes.change_count();
  std::set<uint32_t> slots;
  const bool is_told = seen_ && nodes.VisitChanges(*seen_, [&](cluster::NodeSlot slot) { slots.insert(slot.index); });
  const auto read = [&](uint32_t slot) -> Result<void> {
    ReadNode(nodes, slot);
    return pacer.Pause();
  };
  for (const uint32_t slot : slots) BERTH_CHECK_OK(read(slot));
  for (uint32_t slot = 0; !is_told && slot < nodes.slot_limit(); ++slot) BERTH_CHECK_OK(read(slot));
  // The log does not name rows at the end that are no more.
  for (size_t slot = nodes.slot_limit(); slot < rows_.size(); ++slot) {
    if (!rows_[slot].fixed.empty()) ReadNode(nodes, static_cast<uint32_t>(slot));
  }
  seen_ = until;
  return {};
}

Result<void> LiveState::Read(const scheduler::Core& core, explain::Pacer& pacer, Time now) {
  BERTH_CHECK_OK(ReadNodes(core.cluster().nodes(), pacer));
  const bool is_due = now >= queue_due_ || queue_due_ - now > Minutes(1);  // The time of day may jump.
  if (!is_due) return {};
  QueueSummary summary = BERTH_TRY(SummarizeQueue(core, pacer, now));
  queue_changed_ = queue_changed_ || summary.json != queue_;
  queue_ = std::move(summary.json);
  queue_due_ = now + kQueuePeriod + kQueuePeriodPerPod * static_cast<int64_t>(summary.pods);
  return {};
}

std::string LiveState::TakeDelta() {
  if (changed_.empty() && !queue_changed_) return {};
  std::string gone, nodes;
  for (const auto& [slot, is_all] : std::exchange(changed_, {})) {
    const Row& row = rows_[slot];
    if (row.fixed.empty()) {
      gone += fmt::format("{}{}", gone.empty() ? "" : ",", slot);
    } else if (is_all) {
      nodes += fmt::format("{}{{{},{}}}", nodes.empty() ? "" : ",", row.fixed, row.used);
    } else {
      nodes += fmt::format("{}{{\"slot\":{},{}}}", nodes.empty() ? "" : ",", slot, row.used);
    }
  }
  const std::string queue = std::exchange(queue_changed_, false) ? fmt::format(",\"queue\":{}", queue_) : "";
  return fmt::format("{{\"gone\":[{}],\"nodes\":[{}]{}}}", gone, nodes, queue);
}

std::string LiveState::Snapshot() const {
  std::string nodes;
  for (const Row& row : rows_) {
    if (!row.fixed.empty()) nodes += fmt::format("{}{{{},{}}}", nodes.empty() ? "" : ",", row.fixed, row.used);
  }
  return fmt::format("{{\"nodes\":[{}],\"queue\":{}}}", nodes, queue_);
}

}  // namespace berth::web
