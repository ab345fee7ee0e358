// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/daemon_work.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace berth::server {
namespace {

// The pods of a node that are not about to go: one of the present template, one of an older one.
struct Pair {
  const PodInfo* updated = nullptr;
  const PodInfo* old = nullptr;
};

// Nothing: there are several of one sort.
std::optional<Pair> PairOn(const DaemonNode& node, const DaemonPods& pods) {
  Pair pair;
  for (const PodInfo& pod : node.pods) {
    if (pod.is_deleting) continue;
    const PodInfo*& place = pods.is_updated(pod) ? pair.updated : pair.old;
    if (place != nullptr) return std::nullopt;
    place = &pod;
  }
  return pair;
}

// Those of the candidates that there is room for.
template <class T>
void AddSome(std::vector<T>& chosen, std::vector<T> candidates, int64_t room) {
  const auto count = std::clamp<int64_t>(room, 0, static_cast<int64_t>(candidates.size()));
  std::move(candidates.begin(), candidates.begin() + count, std::back_inserter(chosen));
}

// Old pods go before new ones come.
DaemonWork ReplaceWithGaps(const std::vector<DaemonNode>& nodes, const DaemonPods& pods, int64_t unavailable_max) {
  DaemonWork work;
  std::vector<PodInfo> candidates;
  int64_t unavailable = 0;
  for (const DaemonNode& node : nodes) {
    if (node.pods.empty() && node.fit != DaemonFit::kFits) continue;
    const std::optional<Pair> pair = PairOn(node, pods);
    const bool has_one = pair && (pair->updated == nullptr) != (pair->old == nullptr);
    const PodInfo* pod = !has_one ? nullptr : pair->old != nullptr ? pair->old : pair->updated;
    const bool is_available = pod != nullptr && pods.availability.Has(*pod);
    if (!is_available) ++unavailable;
    if (pod == nullptr || pod == pair->updated) continue;
    (is_available ? candidates : work.unwanted).push_back(*pod);
  }
  AddSome(work.unwanted, std::move(candidates), unavailable_max - unavailable);
  return work;
}

// New pods come beside the old ones, which go when these work.
DaemonWork ReplaceWithSurge(const std::vector<DaemonNode>& nodes, const DaemonPods& pods, int64_t surge_max) {
  DaemonWork work;
  std::vector<std::string> candidates;
  std::vector<PodInfo> misplaced;
  int64_t surge = 0;
  int64_t available = 0;
  int64_t wanted = 0;
  for (const DaemonNode& node : nodes) {
    const bool fits = node.fit == DaemonFit::kFits;
    if (fits) ++wanted;
    const std::optional<Pair> pair = PairOn(node, pods);
    if (!pair) {
      ++surge;
      continue;
    }
    const PodInfo* serving = pair->old != nullptr ? pair->old : pair->updated;
    const bool is_served = serving != nullptr && pods.availability.Has(*serving);
    if (is_served) ++available;
    if (pair->old == nullptr) continue;
    if (pair->updated != nullptr) {
      if (pods.availability.Has(*pair->updated)) {
        work.unwanted.push_back(*pair->old);
      } else {
        ++surge;
      }
    } else if (fits) {
      (is_served ? candidates : work.empty_nodes).push_back(node.name);
    } else {
      (is_served ? misplaced : work.unwanted).push_back(*pair->old);
    }
  }
  AddSome(work.unwanted, std::move(misplaced), available - wanted);
  AddSome(work.empty_nodes, std::move(candidates), surge_max - surge);
  return work;
}

// Of pods that run: the first stays, but where pods may surge the first of each sort does, until the newer one works.
void AddExcess(const std::vector<const PodInfo*>& running, const DaemonPods& pods, bool allows_surge,
               DaemonWork& work) {
  Pair kept;
  for (const PodInfo* pod : running) {
    const PodInfo*& place = allows_surge && pods.is_updated(*pod) ? kept.updated : kept.old;
    if (place == nullptr) {
      place = pod;
    } else {
      work.unwanted.push_back(*pod);
    }
  }
  if (kept.updated == nullptr || kept.old == nullptr) return;
  if (!kept.old->is_ready || pods.availability.Has(*kept.updated)) work.unwanted.push_back(*kept.old);
}

}  // namespace

DaemonLimits LimitsOf(const Json& spec, int64_t nodes) {
  const Json& rolling = spec["updateStrategy"]["rollingUpdate"];
  const auto limit = [&](std::string_view name, int64_t otherwise) {
    return rolling.Has(name) ? Scaled(rolling[name], nodes, true) : otherwise;
  };
  DaemonLimits limits{.surge = limit("maxSurge", 0), .unavailable = limit("maxUnavailable", 1)};
  // Both may come out as none, and then nothing could ever move.
  if (limits.surge == 0 && limits.unavailable == 0) limits.unavailable = 1;
  return limits;
}

void AddUpkeep(const DaemonNode& node, const DaemonPods& pods, bool allows_surge, DaemonWork& work) {
  if (node.fit == DaemonFit::kNone) {
    std::ranges::copy_if(node.pods, std::back_inserter(work.unwanted),
                         [](const PodInfo& pod) { return !pod.is_deleting; });
    return;
  }
  std::vector<const PodInfo*> running;
  for (const PodInfo& pod : node.pods) {
    if (pod.is_deleting) continue;
    if (pod.has_ended()) {
      work.ended.push_back(pod);
    } else {
      running.push_back(&pod);
    }
  }
  const bool is_empty = node.pods.empty() || (allows_surge && running.empty());
  if (is_empty && node.fit == DaemonFit::kFits) work.empty_nodes.push_back(node.name);
  AddExcess(running, pods, allows_surge, work);
}

DaemonWork NextReplacements(const std::vector<DaemonNode>& nodes, const DaemonPods& pods, const DaemonLimits& limits) {
  return limits.surge == 0 ? ReplaceWithGaps(nodes, pods, limits.unavailable)
                           : ReplaceWithSurge(nodes, pods, limits.surge);
}

}  // namespace berth::server
