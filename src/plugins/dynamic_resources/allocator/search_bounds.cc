// SPDX-License-Identifier: Apache-2.0
// What the devices that are left can suffice for at best.
#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "plugins/dynamic_resources/allocator/search_memory.h"

namespace berth::plugins {
namespace {

// Whether so many units can be handed out that every taker has its number, each from the sources it can use.
class Distribution {
 public:
  // `sources`: how many units each has.
  explicit Distribution(std::vector<int64_t> sources) : left_(std::move(sources)), takers_(left_.size()) {}

  bool Serve(const std::vector<uint32_t>& usable, int64_t count) {
    usable_.push_back(&usable);
    for (int64_t i = 0; i < count; ++i) {
      std::vector<uint8_t> visited(left_.size());
      if (!Give(static_cast<uint32_t>(usable_.size()) - 1, visited)) return false;
    }
    return true;
  }

 private:
  // Gives the taker a unit, if need be by giving another taker one from elsewhere.
  bool Give(uint32_t taker, std::vector<uint8_t>& visited) {
    for (const uint32_t source : *usable_[taker]) {
      if (visited[source] != 0) continue;
      visited[source] = 1;
      if (left_[source] > 0) {
        --left_[source];
        takers_[source].push_back(taker);
        return true;
      }
      for (uint32_t& other : takers_[source]) {
        if (other == taker || !Give(other, visited)) continue;
        other = taker;
        return true;
      }
    }
    return false;
  }

  std::vector<int64_t> left_;
  std::vector<std::vector<uint32_t>> takers_;  // Of each source, one entry per unit.
  std::vector<const std::vector<uint32_t>*> usable_;
};

}  // namespace

bool SearchMemory::IsUsable(const Need& need, uint32_t device) {
  const PreparedRequest& request = *need.request;
  if (device < need.start || !IsEverUsable(request, device)) return false;
  if (search_.IsInUse(request, need.claim, device)) return false;
  for (const DeviceConstraint* constraint : request.constraints) {
    const auto attribute = search_.attributes_.Find(request, device, constraint->attribute());
    if (!attribute || !constraint->Admits(*attribute)) return false;
  }
  // A part of a device may be had without its counters, once another part is taken.
  if (search_.MayBeShared(device)) return true;
  PoolCounters* counters = search_.CountersFor(device, true);
  return counters == nullptr || counters->Has(*search_.candidates_.devices[device].device);
}

bool SearchMemory::FillNeed(Need& need) {
  if (need.request->wants_all) {
    const auto& all = need.request->all_devices;
    for (size_t i = static_cast<size_t>(need.request->count - need.count); i < all.size(); ++i) {
      if (!IsUsable(need, all[i])) return false;
      need.usable.push_back(all[i]);
    }
    return !all.empty();
  }
  // Devices of a kind of which nothing was taken are all usable or none is.
  std::map<uint32_t, bool> kinds;
  for (uint32_t device = need.start; device < kinds_.size(); ++device) {
    ++search_.looks_;
    if (!IsEverUsable(*need.request, device)) continue;
    const DeviceInSearch& in_search = search_.in_search_[device];
    const bool is_untouched = in_search.claims.empty() && in_search.shares == 0;
    bool usable = false;
    if (is_untouched) {
      const auto [known, added] = kinds.try_emplace(kinds_[device]);
      if (added) known->second = IsUsable(need, device);
      usable = known->second;
    } else {
      usable = IsUsable(need, device);
    }
    if (usable) need.usable.push_back(device);
  }
  return static_cast<int64_t>(need.usable.size()) >= need.count;
}

bool SearchMemory::GatherChoices(uint32_t claim, uint32_t request, uint32_t alternative, int64_t count, uint32_t start,
                                 std::vector<Choice>& choices) {
  for (uint32_t c = claim; c < search_.claims_.size(); ++c) {
    const auto& requests = search_.claims_[c].requests;
    for (uint32_t r = c == claim ? request : 0; r < requests.size(); ++r) {
      const bool is_current = c == claim && r == request;
      Choice choice;
      for (uint32_t a = 0; a < requests[r].size(); ++a) {
        if (is_current && a != alternative) continue;
        const PreparedRequest& one = requests[r][a];
        Need need{.request = &one, .claim = c, .count = one.count, .start = 0, .usable = {}};
        if (is_current) {
          need.count -= count;
          need.start = start;
        }
        if (FillNeed(need)) choice.push_back(std::move(need));
      }
      if (choice.empty()) return false;
      choices.push_back(std::move(choice));
    }
  }
  return true;
}

bool SearchMemory::IsHopeless(uint32_t claim, uint32_t request, uint32_t alternative, int64_t count, uint32_t start) {
  std::vector<Choice> choices;
  if (!GatherChoices(claim, request, alternative, count, start, choices)) return true;
  return !NumbersSuffice(choices) || !ValuesSuffice(choices) || !CountersSuffice(choices);
}

bool SearchMemory::NumbersSuffice(const std::vector<Choice>& choices) const {
  const size_t devices = kinds_.size();
  Distribution distribution(std::vector<int64_t>(devices, 1));
  std::vector<std::vector<uint32_t>> usable(choices.size());
  for (size_t i = 0; i < choices.size(); ++i) {
    int64_t least = std::numeric_limits<int64_t>::max();
    std::set<uint32_t> all;
    bool is_free = false;  // It takes nothing from others.
    for (const Need& need : choices[i]) {
      least = std::min(least, need.count);
      all.insert(need.usable.begin(), need.usable.end());
      is_free |= need.request->is_admin();
    }
    is_free |= std::ranges::any_of(all, [&](uint32_t device) { return search_.MayBeShared(device); });
    if (is_free) continue;
    usable[i].assign(all.begin(), all.end());
    if (!distribution.Serve(usable[i], least)) return false;
  }
  return true;
}

bool SearchMemory::ValuesSuffice(const std::vector<Choice>& choices) {
  if (search_.matcher_.options().list_attributes) return true;
  for (PreparedClaim& claim : search_.claims_) {
    for (const auto& constraint : claim.constraints) {
      if (constraint->is_match() ? constraint->size() == 0 && !SomeValueSuffices(*constraint, choices)
                                 : !DistinctValuesSuffice(*constraint, choices)) {
        return false;
      }
    }
  }
  return true;
}

bool SearchMemory::DistinctValuesSuffice(const DeviceConstraint& constraint, const std::vector<Choice>& choices) {
  std::map<std::string, uint32_t> values;
  std::vector<std::vector<uint32_t>> usable;
  std::vector<int64_t> counts;
  for (const Choice& choice : choices) {
    std::set<uint32_t> seen;
    int64_t least = std::numeric_limits<int64_t>::max();
    bool is_covered = true;
    for (const Need& need : choice) {
      const auto& covering = need.request->constraints;
      is_covered &= std::ranges::find(covering, &constraint) != covering.end();
      if (!is_covered) break;
      least = std::min(least, need.count);
      for (const uint32_t device : need.usable) {
        const auto id = static_cast<uint32_t>(values.size());
        seen.insert(values.try_emplace(ValueOf(*need.request, device, constraint), id).first->second);
      }
    }
    if (!is_covered) continue;
    usable.emplace_back(seen.begin(), seen.end());
    counts.push_back(least);
  }
  Distribution distribution(std::vector<int64_t>(values.size(), 1));
  for (size_t i = 0; i < usable.size(); ++i) {
    if (!distribution.Serve(usable[i], counts[i])) return false;
  }
  return true;
}

bool SearchMemory::SomeValueSuffices(const DeviceConstraint& constraint, const std::vector<Choice>& choices) {
  std::map<std::string, std::vector<Choice>> by_value;
  size_t covered = 0;
  for (const Choice& choice : choices) {
    const bool is_covered = std::ranges::all_of(choice, [&](const Need& need) {
      return std::ranges::find(need.request->constraints, &constraint) != need.request->constraints.end();
    });
    if (!is_covered) continue;
    ++covered;
    for (const Need& need : choice) {
      std::map<std::string, Need> parts;
      for (const uint32_t device : need.usable) {
        Need& part = parts[ValueOf(*need.request, device, constraint)];
        part.usable.push_back(device);
      }
      for (auto& [value, part] : parts) {
        if (static_cast<int64_t>(part.usable.size()) < need.count) continue;
        std::vector<Choice>& restricted = by_value[value];
        restricted.resize(std::max(restricted.size(), covered));
        restricted.back().push_back({.request = need.request,
                                     .claim = need.claim,
                                     .count = need.count,
                                     .start = 0,
                                     .usable = std::move(part.usable)});
      }
    }
  }
  if (covered == 0) return true;
  return std::ranges::any_of(by_value, [&](const auto& entry) {
    const std::vector<Choice>& restricted = entry.second;
    return restricted.size() == covered &&
           std::ranges::none_of(restricted, [](const Choice& choice) { return choice.empty(); }) &&
           NumbersSuffice(restricted);
  });
}

// The least that the requests take of a counter which all devices they can have take from.
bool SearchMemory::CountersSuffice(const std::vector<Choice>& choices) {
  struct Demand {
    int64_t count = 0;
    std::set<uint32_t> devices;
  };
  std::map<uint32_t, Demand> demands;  // By pool.
  for (const Choice& choice : choices) {
    std::optional<uint32_t> pool;
    bool is_bound = true;  // To devices of one pool that take counters.
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const Need& need : choice) {
      least = std::min(least, need.count);
      for (const uint32_t device : need.usable) {
        const CandidateDevice& candidate = search_.candidates_.devices[device];
        if (candidate.device->consumes_counters.empty() || search_.MayBeShared(device)) is_bound = false;
        if (pool && *pool != candidate.pool) is_bound = false;
        pool = candidate.pool;
      }
      is_bound &= !need.request->is_admin();
    }
    if (!is_bound || !pool) continue;
    Demand& demand = demands[*pool];
    demand.count += least;
    for (const Need& need : choice) demand.devices.insert(need.usable.begin(), need.usable.end());
  }
  for (const auto& [pool, demand] : demands) {
    const auto counters = search_.counters_.find(pool);
    if (counters == search_.counters_.end()) continue;
    std::vector<const api::Device*> devices;
    for (const uint32_t device : demand.devices) devices.push_back(search_.candidates_.devices[device].device);
    if (!counters->second.SufficesFor(devices, demand.count)) return false;
  }
  return true;
}

}  // namespace berth::plugins
