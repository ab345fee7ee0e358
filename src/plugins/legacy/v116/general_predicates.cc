// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/general_predicates.h"

#include <algorithm>

#include <boost/container/small_vector.hpp>

#include "plugins/helpers/required_node_affinity.h"
#include "plugins/node_ports/node_ports.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;
using cluster::NodeTable;
using Names = std::set<std::string, std::less<>>;

// One resource against two columns, which are null if no node lists it.
struct ResourceNeed {
  std::string_view name;
  int64_t request = 0;
  const int64_t* allocatable = nullptr;
  const int64_t* requested = nullptr;
  cluster::ResourceId id = {};

  bool IsShort(NodeSlot slot, const NodeTable& nodes) const {
    const int64_t has = allocatable == nullptr ? 0 : allocatable[slot.index];
    const int64_t taken = requested == nullptr ? nodes.Requested(slot, id) : requested[slot.index];
    return has < cluster::WrapAdd(request, taken);
  }
};

// The pod's scalar requests. A request of nothing counts as one, unless only init containers make it.
std::vector<std::pair<cluster::ResourceNamePtr, int64_t>> RequestedScalars(const cluster::PodInfo& pod) {
  std::vector<std::pair<cluster::ResourceNamePtr, int64_t>> scalars;
  for (const auto& [name, amount] : pod.pod_template->requests.scalars) {
    const auto requests = [&](const api::Container& container) {
      return container.requests.Find(name->text) != nullptr;
    };
    if (amount != 0 || std::ranges::any_of(pod.spec().containers, requests)) scalars.emplace_back(name, amount);
  }
  return scalars;
}

// A pod that requests nothing fits wherever there is room for one more pod. Any other fits only where nothing is
// short, be it a resource that it does not request.
class ResourceCheck {
 public:
  ResourceCheck(const framework::Cycle& cycle, const Names& ignored) : nodes_(cycle.nodes()) {
    const cluster::Resources& wanted = cycle.pod().pod_template->requests;
    const auto scalars = RequestedScalars(cycle.pod());
    if (wanted.cpu_milli == 0 && wanted.memory_bytes == 0 && wanted.ephemeral_bytes == 0 && scalars.empty()) return;
    needs_.push_back({"cpu", wanted.cpu_milli, nodes_.allocatable_cpu.data(), nodes_.requested_cpu.data()});
    needs_.push_back({"memory", wanted.memory_bytes, nodes_.allocatable_memory.data(), nodes_.requested_memory.data()});
    needs_.push_back({"ephemeral-storage", wanted.ephemeral_bytes, nodes_.allocatable_ephemeral.data(),
                      nodes_.requested_ephemeral.data()});
    for (const auto& [name, amount] : scalars) {
      if (ignored.contains(name->text) && cluster::IsExtendedName(name->text)) continue;
      const cluster::ScalarColumn* column = nodes_.Scalar(name->id);
      needs_.push_back({name->text, amount, column == nullptr ? nullptr : column->allocatable.data(),
                        column == nullptr ? nullptr : column->requested.data(), name->id});
    }
  }

  void Judge(NodeSlot slot, Reasons& reasons) const {
    if (nodes_.pod_count[slot.index] + 1 > nodes_.allocatable_pods[slot.index]) reasons.Add("Insufficient pods");
    for (const ResourceNeed& need : needs_) {
      if (need.IsShort(slot, nodes_)) reasons.Add("Insufficient " + std::string(need.name));
    }
  }

 private:
  const NodeTable& nodes_;
  boost::container::small_vector<ResourceNeed, 8> needs_;
};

bool PortsTaken(const std::vector<api::HostPort>& wanted, const std::vector<cluster::UsedPort>& used) {
  return std::ranges::any_of(wanted, [&](const api::HostPort& port) {
    return std::ranges::any_of(used, [&](const cluster::UsedPort& taken) { return PortsConflict(port, taken); });
  });
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> GeneralPredicates::Create(const framework::PluginContext& context,
                                                                     Parts parts) {
  return std::make_unique<GeneralPredicates>(context.name, parts, context.args.ValueOr<Args>().ignored_resources);
}

void GeneralPredicates::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const NodeTable& nodes = cycle.nodes();
  const cluster::PodInfo& pod = cycle.pod();
  const ResourceCheck resources(cycle, ignored_resources_);
  NodeAffinityMatches affinity(RequiredNodeAffinity(pod.spec()), nodes);
  const bool checks_host = (parts_ & kHost) != 0 && !pod.node_name.empty();
  const bool checks_ports = (parts_ & kPorts) != 0 && !pod.pod_template->host_ports.empty();
  const bool checks_selector = (parts_ & kSelector) != 0 && !affinity.matches_all();

  Reasons reasons;
  candidates.RejectEach([&](NodeSlot slot) {
    reasons.Clear();
    if ((parts_ & kResources) != 0) resources.Judge(slot, reasons);
    if (checks_host && nodes.name[slot.index] != pod.node_name) reasons.AddUnresolvable(kHostReason);
    if (checks_ports && PortsTaken(pod.pod_template->host_ports, nodes.pods[slot.index].used_ports)) {
      reasons.Add(kPortsReason);
    }
    if (checks_selector && !affinity.Matches(slot)) reasons.AddUnresolvable(kSelectorReason);
    return reasons.ToVerdict(candidates.reasons());
  });
}

}  // namespace berth::plugins::legacy::v116
