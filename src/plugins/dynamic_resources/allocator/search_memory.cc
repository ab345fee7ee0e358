// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/search_memory.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

std::string ListText(const api::ResourceList& list) {
  std::string text;
  for (const auto& [name, amount] : list) text += fmt::format("{}={}\n", name, amount.String());
  return text;
}

std::string CountersText(const api::Device& device) {
  std::string text;
  for (const api::DeviceCounterConsumption& consumption : device.consumes_counters) {
    text += fmt::format("{}\n{}", consumption.counter_set, ListText(consumption.counters));
    for (const std::string& group : consumption.compatibility_groups) text += fmt::format("{}\n", group);
  }
  return text;
}

}  // namespace

std::unique_ptr<SearchMemory> SearchMemory::Make(DeviceSearch& search) {
  std::unique_ptr<SearchMemory> memory(new SearchMemory(search));
  const bool learnt = memory->Learn();
  search.error_.clear();
  return learnt ? std::move(memory) : nullptr;
}

bool SearchMemory::Learn() {
  uint32_t count = 0;
  for (const PreparedClaim& claim : search_.claims_) {
    numbers_.emplace_back();
    for (const std::vector<PreparedRequest>& alternatives : claim.requests) {
      numbers_.back().push_back(count++);
      for (const PreparedRequest& request : alternatives) {
        // Of a device that is wanted but does not fit, upstream makes an error.
        if (request.wants_all && !request.constraints.empty()) return false;
      }
    }
  }
  if (count * search_.candidates_.devices.size() > kPairsMax) return false;
  std::map<std::string, uint32_t> kinds;
  for (uint32_t device = 0; device < search_.candidates_.devices.size(); ++device) {
    std::string description;
    if (!Describe(device, description)) return false;
    kinds_.push_back(kinds.try_emplace(std::move(description), static_cast<uint32_t>(kinds.size())).first->second);
  }
  last_users_.resize(kinds.size());
  for (size_t c = 0; c < search_.claims_.size(); ++c) {
    const PreparedClaim& claim = search_.claims_[c];
    for (size_t r = 0; r < claim.requests.size(); ++r) {
      for (const PreparedRequest& request : claim.requests[r]) {
        for (uint32_t device = 0; device < kinds_.size(); ++device) {
          if (IsEverUsable(request, device)) last_users_[kinds_[device]] = numbers_[c][r] + 1;
        }
      }
    }
  }
  return true;
}

bool SearchMemory::Describe(uint32_t device, std::string& description) {
  const CandidateDevice& candidate = search_.candidates_.devices[device];
  const cluster::DeviceOptions& options = search_.matcher_.options();
  const bool counts = !candidate.device->consumes_counters.empty();
  description = fmt::format("{}{}{}", candidate.is_taken() ? 't' : '-', candidate.is_shared() ? 's' : '-',
                            search_.MayBeShared(device) ? 'm' : '-');
  if (counts) description += fmt::format("{}\n{}", candidate.pool, CountersText(*candidate.device));
  if (options.consumable_capacity) {
    for (const auto& [name, capacity] : candidate.device->capacity) {
      description += fmt::format("{}={}\n", name, capacity.value.String());
    }
    if (candidate.use != nullptr) description += ListText(candidate.use->consumed);
  }
  for (PreparedClaim& claim : search_.claims_) {
    for (const std::vector<PreparedRequest>& alternatives : claim.requests) {
      for (const PreparedRequest& request : alternatives) {
        const api::ResourceList* consumed = nullptr;
        const std::optional<bool> is_usable = IsUsableAlone(request, device, consumed);
        if (!is_usable) return false;
        std::vector<uint8_t>& usable = usable_[&request];
        usable.resize(search_.candidates_.devices.size());
        usable[device] = *is_usable ? 1 : 0;
        description += *is_usable ? '1' : '0';
        if (!*is_usable) continue;
        if (consumed != nullptr) description += ListText(*consumed);
        for (const DeviceConstraint* constraint : request.constraints) {
          const auto attribute = search_.attributes_.Find(request, device, constraint->attribute());
          if (!attribute) return false;
          std::vector<std::string>& values = values_[{&request, constraint}];
          values.resize(search_.candidates_.devices.size());
          values[device] = AttributeText(*attribute);
          description += values[device] + "\n";
        }
        // Where all are wanted, they are wanted in this order.
        if (std::ranges::find(request.all_devices, device) != request.all_devices.end()) {
          description += fmt::format("#{}", device);
        }
      }
    }
  }
  return true;
}

std::optional<bool> SearchMemory::IsUsableAlone(const PreparedRequest& request, uint32_t device,
                                                const api::ResourceList*& consumed) {
  const CandidateDevice& candidate = search_.candidates_.devices[device];
  const cluster::DeviceOptions& options = search_.matcher_.options();
  const std::optional<bool> selectable = search_.IsSelectable(request, device);
  if (!selectable) return std::nullopt;
  DeviceSearch::Taken fits = DeviceSearch::Taken::kYes;
  if (*selectable && options.consumable_capacity) fits = search_.Consumption(request, device, consumed);
  if (fits == DeviceSearch::Taken::kError) return std::nullopt;
  return *selectable && fits == DeviceSearch::Taken::kYes && search_.matcher_.ToleratesTaints(request, device) &&
         search_.NodeCanDoWithout(device) &&
         (options.partitionable_devices || candidate.device->consumes_counters.empty()) &&
         (request.is_admin() || !candidate.is_taken());
}

bool SearchMemory::IsInVain(DeviceSearch& search) {
  SearchMemory memory(search);
  const bool in_vain = memory.ComesToAnEnd();
  search.error_.clear();
  return in_vain;
}

bool SearchMemory::ComesToAnEnd() {
  size_t pairs = 0;
  for (const PreparedClaim& claim : search_.claims_) {
    for (const std::vector<PreparedRequest>& alternatives : claim.requests) {
      bool may_be_served = false;
      for (const PreparedRequest& request : alternatives) {
        pairs += search_.candidates_.devices.size();
        const std::optional<bool> alone = pairs > kPairsMax ? std::nullopt : MayBeServedAlone(request);
        if (!alone) return false;
        may_be_served |= *alone;
      }
      if (!may_be_served) return true;
    }
  }
  return false;
}

std::optional<bool> SearchMemory::MayBeServedAlone(const PreparedRequest& request) {
  if (request.wants_all && !request.constraints.empty()) return std::nullopt;
  int64_t usable = 0;
  bool may_be_shared = false;
  for (uint32_t device = 0; device < search_.candidates_.devices.size(); ++device) {
    const api::ResourceList* consumed = nullptr;
    const std::optional<bool> is_usable = IsUsableAlone(request, device, consumed);
    if (!is_usable) return std::nullopt;
    if (!*is_usable) continue;
    for (const DeviceConstraint* constraint : request.constraints) {
      if (!search_.attributes_.Find(request, device, constraint->attribute())) return std::nullopt;
    }
    ++usable;
    may_be_shared |= search_.MayBeShared(device);
  }
  if (request.wants_all) return !request.all_devices.empty();
  return may_be_shared || usable >= request.count;
}

bool SearchMemory::IsEverUsable(const PreparedRequest& request, uint32_t device) const {
  return usable_.at(&request)[device] != 0;
}

const std::string& SearchMemory::ValueOf(const PreparedRequest& request, uint32_t device,
                                         const DeviceConstraint& constraint) {
  return values_[{&request, &constraint}][device];
}

bool SearchMemory::IsLikeOneOf(uint32_t device, const std::vector<uint32_t>& failed) const {
  return std::ranges::any_of(failed, [&](uint32_t other) {
    return kinds_[other] == kinds_[device] && search_.in_search_[other] == search_.in_search_[device];
  });
}

std::string SearchMemory::StateAt(uint32_t claim, uint32_t request) const {
  std::string state = fmt::format("{}/{}/{}\n", claim, request, search_.chosen_[claim].size());
  if (request >= numbers_[claim].size()) return state;
  for (const auto& constraint : search_.claims_[claim].constraints) state += constraint->State() + "\n";
  const uint32_t number = numbers_[claim][request];
  const bool needs_all = search_.matcher_.options().compatibility_groups;
  std::map<std::pair<uint32_t, std::string>, uint32_t> gone;  // How many of each kind are gone in which way.
  for (uint32_t device = 0; device < kinds_.size(); ++device) {
    const DeviceInSearch& in_search = search_.in_search_[device];
    if (in_search.claims.empty() && in_search.shares == 0) continue;
    if (!needs_all && last_users_[kinds_[device]] <= number) continue;
    const bool by_this_claim = std::ranges::find(in_search.claims, claim) != in_search.claims.end();
    std::string way(in_search.claims.empty() ? "" : by_this_claim ? "2" : "1");
    if (in_search.shares > 0) way += "s" + ListText(in_search.consumed);
    ++gone[{kinds_[device], std::move(way)}];
  }
  for (const auto& [kind, devices] : gone) state += fmt::format("{}{}x{}\n", kind.first, kind.second, devices);
  for (const auto& [pool, counters] : search_.counters_) state += fmt::format("{}:{}\n", pool, counters.Taken());
  return state;
}

}  // namespace berth::plugins
