// SPDX-License-Identifier: Apache-2.0
// LiveState: what the dashboard shows of a core, and what has changed since it was last told of.
//
// A node is kept as the text that is sent of it, in three parts: its name, what it is like, and what its pods request.
// So looking at it again tells whether something changed, and a snapshot is put together from what is there; what many
// nodes are like stands in it once. Which nodes to look at is known from the node table's log of changes, and from the
// devices that have changed.
//
// Thread: one at a time; whoever reads the core may touch it. Cost: Read looks at the nodes that changed, and about
// once a second at all pods that wait. Snapshot is as long as there are nodes.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "explain/pacer.h"
#include "scheduler/core.h"

namespace berth::web {

class LiveState {
 public:
  // Looks at what has changed, with pauses. After a failure the next call looks again. `now` is the time of day.
  Result<void> Read(const scheduler::Core& core, explain::Pacer& pacer, Time now);

  // What is told with the queue, as JSON. Called whenever that is looked at, on the same thread.
  void set_figures(std::function<std::string()> figures) { figures_ = std::move(figures); }

  // What has changed since the last call, as JSON; empty: nothing. A node is named by its slot:
  //   {"gone":[slot], "nodes":[{"slot", "used"} or {"slot", "name", "kind":{...}, "used"}], "queue":{...},
  //   "figures":{...}}
  std::string TakeDelta();
  // Everything: {"kinds":[{...}], "nodes":[{"slot", "name", "kind", "used"}], "queue":{...}, "figures":{...}}, where
  // the kind of a node is its place among the kinds.
  std::string Snapshot() const;

 private:
  struct Row {
    std::string name;  // Members of a JSON object, as are the others; empty: there is no node.
    std::string kind;
    std::string used;
  };
  void ReadNode(const cluster::Cluster& cluster, uint32_t slot);
  Result<void> ReadNodes(const cluster::Cluster& cluster, explain::Pacer& pacer);
  std::string QueueMembers() const;

  std::vector<Row> rows_;             // By slot.
  std::map<uint32_t, bool> changed_;  // Slots, and whether it is more than what pods request.
  std::optional<uint64_t> seen_;      // Changes of the table; nothing: all nodes are to be looked at.
  uint64_t seen_devices_ = 0;         // The same of devices.
  std::function<std::string()> figures_;
  std::string told_figures_ = "null";
  std::string queue_ = "null";
  bool queue_changed_ = false;
  Time queue_due_{};  // When to look at it again.
};

}  // namespace berth::web
