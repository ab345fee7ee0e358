// SPDX-License-Identifier: Apache-2.0
// The filter of NodeResourcesFit.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <boost/container/small_vector.hpp>

#include "plugins/helpers/local_values.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {
namespace {

using framework::NodeSlot;
using framework::StatusCode;
using framework::Verdict;

// One requested resource against two columns. What no node lists has none: there is nothing of it, and what pods
// request nevertheless is in their rows.
struct Demand {
  int64_t request = 0;
  int64_t missing = 0;  // On the node that the pod is on already: what it does not hold there yet.
  const int64_t* allocatable = nullptr;
  const int64_t* requested = nullptr;
  std::string_view name;
  cluster::ResourceId id = {};
  bool has_devices = false;  // A DeviceClass provides it: where the node itself has none, that is for DynamicResources.

  bool is_scalar = false;

  int64_t Allocatable(NodeSlot slot) const { return allocatable == nullptr ? 0 : allocatable[slot.index]; }
  // `amount` is the request, or what is missing of it.
  bool IsShort(int64_t amount, NodeSlot slot, const cluster::NodeTable& nodes) const {
    if (has_devices && Allocatable(slot) <= 0) return false;
    const int64_t taken = requested == nullptr ? nodes.Requested(slot, id) : requested[slot.index];
    return amount > cluster::WrapSub(Allocatable(slot), taken);
  }
  // On the node that the pod is on. If too much of the node is promised, even what the pod holds may be short, but for
  // scalar resources.
  bool IsShortAtHome(NodeSlot slot, const cluster::NodeTable& nodes) const {
    return !(is_scalar && missing == 0) && IsShort(missing, slot, nodes);
  }
};
using Demands = boost::container::small_vector<Demand, 8>;

// Why the pod does not fit.
struct Lacking {
  bool is_crowded = false;
  boost::container::small_vector<const Demand*, 8> demands;  // Those that are short.

  bool operator==(const Lacking&) const = default;
  std::vector<std::string> Reasons() const {
    std::vector<std::string> reasons;
    if (is_crowded) reasons.emplace_back("Too many pods");
    for (const Demand* demand : demands) reasons.push_back("Insufficient " + std::string(demand->name));
    return reasons;
  }
};

// Whether the pod fits, for a tile of nodes. False if amounts are unusual.
bool FitsTile(const cluster::NodeTable& nodes, const Demands& demands, uint32_t first, uint8_t* __restrict fits) {
  constexpr int kLargeBit = 62;         // No difference of smaller amounts overflows.
  std::array<uint64_t, kTile> spare{};  // Below 0, as signed ones, where something is short.
  uint64_t all = 0;
  const auto compare = [&](const int64_t* __restrict allocatable, const int64_t* __restrict requested,
                           int64_t request) {
    uint64_t amounts = static_cast<uint64_t>(request);
    for (uint32_t i = 0; i < kTile; ++i) {
      const auto whole = static_cast<uint64_t>(allocatable[i]);
      const auto taken = static_cast<uint64_t>(requested[i]);
      amounts |= whole | taken;
      spare[i] |= whole - taken - static_cast<uint64_t>(request);
    }
    all |= amounts;
  };
  compare(nodes.allocatable_pods.data() + first, nodes.pod_count.data() + first, 1);
  for (const Demand& demand : demands) {
    if (demand.has_devices || demand.allocatable == nullptr || demand.requested == nullptr) return false;
    compare(demand.allocatable + first, demand.requested + first, demand.request);
  }
  for (uint32_t i = 0; i < kTile; ++i) fits[i] = static_cast<uint8_t>(~spare[i] >> 63);
  return all >> kLargeBit == 0;
}

// The node that a pod is on already, and what it holds there.
struct Home {
  std::optional<NodeSlot> slot;
  cluster::Resources held;
};

Home HomeOf(const cluster::PodInfo& pod, const cluster::Cluster& cluster) {
  Home home;
  NodeSlot slot;
  if (pod.node_name.empty() || !cluster.nodes().Find(pod.node_name, slot)) return home;
  const cluster::PodPtr known = cluster.FindPod(pod.uid);
  if (known == nullptr || known->node_name != pod.node_name) return home;
  home.slot = slot;
  home.held = known->requests();
  return home;
}

// What decides whether a pod fits, as numbers.
std::vector<int64_t> NeedOf(const cluster::Resources& wanted, const cluster::ExtendedResources& classes) {
  std::vector<int64_t> need = {wanted.cpu_milli, wanted.memory_bytes, wanted.ephemeral_bytes};
  for (const auto& [name, amount] : wanted.scalars) {
    need.push_back(static_cast<int64_t>(name->id.number));
    need.push_back(amount);
    need.push_back(classes.ClassOf(name->text) != nullptr ? 1 : 0);
  }
  return need;
}

}  // namespace

framework::Reach NodeResourcesFit::filter_reach(const framework::Cycle& cycle) const {
  const cluster::ExtendedResources& classes = cycle.cluster().devices.extended_resources();
  const bool has_devices = std::ranges::any_of(cycle.pod().pod_template->requests.scalars, [&](const auto& scalar) {
    return classes.ClassOf(scalar.first->text) != nullptr;
  });
  return has_devices || !cycle.pod().node_name.empty() ? framework::Reach::kCluster : framework::Reach::kNode;
}

void NodeResourcesFit::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const cluster::NodeTable& nodes = cycle.nodes();
  const cluster::Resources& wanted = cycle.pod().pod_template->requests;
  const cluster::ExtendedResources& classes = cycle.cluster().devices.extended_resources();
  const Home home = resizes_ ? HomeOf(cycle.pod(), cycle.cluster()) : Home();
  const auto missing = [](int64_t request, int64_t held) { return std::max<int64_t>(0, request - held); };

  Demands demands;
  if (wanted.cpu_milli > 0) {
    demands.push_back({wanted.cpu_milli, missing(wanted.cpu_milli, home.held.cpu_milli), nodes.allocatable_cpu.data(),
                       nodes.requested_cpu.data(), "cpu"});
  }
  if (wanted.memory_bytes > 0) {
    demands.push_back({wanted.memory_bytes, missing(wanted.memory_bytes, home.held.memory_bytes),
                       nodes.allocatable_memory.data(), nodes.requested_memory.data(), "memory"});
  }
  if (wanted.ephemeral_bytes > 0) {
    demands.push_back({wanted.ephemeral_bytes, missing(wanted.ephemeral_bytes, home.held.ephemeral_bytes),
                       nodes.allocatable_ephemeral.data(), nodes.requested_ephemeral.data(), "ephemeral-storage"});
  }
  for (const auto& [name, amount] : wanted.scalars) {
    if (amount <= 0 || Ignores(name->text)) continue;
    const cluster::ScalarColumn* column = nodes.Scalar(name->id);
    demands.push_back({amount, missing(amount, home.held.scalar(name->id)),
                       column == nullptr ? nullptr : column->allocatable.data(),
                       column == nullptr ? nullptr : column->requested.data(), name->text, name->id,
                       classes.ClassOf(name->text) != nullptr, true});
  }

  const auto crowded = [&](NodeSlot slot) {
    return nodes.pod_count[slot.index] + 1 > nodes.allocatable_pods[slot.index];
  };
  // Here and in Score, 58 of 120 microseconds of a plain cycle on 5,000 nodes went into what had not changed.
  LocalValues<uint8_t>& kept = cycle.kept<KeptValues>(*this).fits;
  const uint8_t* fits = kept.Get(
      NeedOf(wanted, classes), nodes,
      [&](NodeSlot slot) {
        return !crowded(slot) && std::ranges::none_of(demands, [&](const Demand& demand) {
          return demand.IsShort(demand.request, slot, nodes);
        });
      },
      [&](uint32_t first, uint8_t* tile) { return FitsTile(nodes, demands, first, tile); });
  const bool asks_many = candidates.nodes().size() >= kTile && !home.slot;
  if (asks_many && std::memchr(fits, 0, nodes.slot_limit()) == nullptr) return;  // It fits everywhere.
  // Mostly one node lacks what the last one lacked: then it is put into words already.
  Lacking lacking;
  Lacking last;
  framework::ReasonId reason = framework::kNoReason;
  candidates.RejectEach([&](NodeSlot slot) -> Verdict {
    const bool is_home = slot == home.slot;
    if (fits[slot.index] && !is_home) [[likely]]
      return {};
    StatusCode code = StatusCode::kUnschedulable;
    lacking.is_crowded = crowded(slot);
    lacking.demands.clear();
    for (const Demand& demand : demands) {
      const bool is_short = is_home ? demand.IsShortAtHome(slot, nodes) : demand.IsShort(demand.request, slot, nodes);
      if (!is_short) continue;
      lacking.demands.push_back(&demand);
      const int64_t least = is_home && demand.is_scalar ? demand.missing : demand.request;
      if (least > demand.Allocatable(slot)) code = StatusCode::kUnschedulableAndUnresolvable;
    }
    if (!lacking.is_crowded && lacking.demands.empty()) return {};
    if (reason == framework::kNoReason || lacking != last) {
      reason = candidates.reasons().Intern(lacking.Reasons());
      last = lacking;
    }
    return {.code = code, .reason = reason};
  });
}

framework::PodInfluence NodeResourcesFit::influence_of_pods(const framework::Cycle& cycle) const {
  const bool is_resize = resizes_ && !cycle.pod().node_name.empty();
  return is_resize ? framework::PodInfluence::kAny : framework::PodInfluence::kRoom;
}

bool NodeResourcesFit::FindMissing(const framework::Cycle& cycle, NodeSlot node,
                                   std::vector<framework::MissingRoom>& missing) const {
  using Of = framework::MissingRoom::Of;
  const cluster::NodeTable& nodes = cycle.nodes();
  const cluster::Resources& wanted = cycle.pod().pod_template->requests;
  bool is_exact = true;
  const auto add = [&](Of of, int64_t request, int64_t allocatable, int64_t taken, std::string_view name,
                       cluster::ResourceId id = {}) {
    // Absurd amounts overflow in their own way.
    constexpr int64_t kLarge = int64_t{1} << 60;
    for (const int64_t amount : {request, allocatable, taken}) is_exact &= amount > -kLarge && amount < kLarge;
    if (is_exact) missing.push_back({of, id, request - (allocatable - taken), "Insufficient ", name});
  };
  const uint32_t i = node.index;
  missing.push_back({Of::kPods, {}, nodes.pod_count[i] + 1 - nodes.allocatable_pods[i], "Too many pods"});
  if (wanted.cpu_milli > 0) add(Of::kCpu, wanted.cpu_milli, nodes.allocatable_cpu[i], nodes.requested_cpu[i], "cpu");
  if (wanted.memory_bytes > 0) {
    add(Of::kMemory, wanted.memory_bytes, nodes.allocatable_memory[i], nodes.requested_memory[i], "memory");
  }
  if (wanted.ephemeral_bytes > 0) {
    add(Of::kEphemeralStorage, wanted.ephemeral_bytes, nodes.allocatable_ephemeral[i], nodes.requested_ephemeral[i],
        "ephemeral-storage");
  }
  for (const auto& [name, amount] : wanted.scalars) {
    if (amount <= 0 || Ignores(name->text)) continue;
    const cluster::ScalarColumn* column = nodes.Scalar(name->id);
    const int64_t allocatable = column == nullptr ? 0 : column->allocatable[i];
    // Where the node itself has none, that is for DynamicResources.
    if (allocatable <= 0 && cycle.cluster().devices.extended_resources().ClassOf(name->text) != nullptr) continue;
    add(Of::kScalar, amount, allocatable, nodes.Requested(node, name->id), name->text, name->id);
  }
  return is_exact;
}

}  // namespace berth::plugins
