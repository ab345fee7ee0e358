// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/device_search.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plugins/dynamic_resources/allocator/consumed_capacity.h"
#include "plugins/dynamic_resources/allocator/search_memory.h"

namespace berth::plugins {
namespace {

constexpr std::string_view kOptionalNodeOperations = "DRAOptionalNodeOperations";

void ChangeBy(api::ResourceList& total, const api::ResourceList& amounts, bool subtract) {
  for (const auto& [name, amount] : amounts) {
    const api::Quantity* present = total.Find(name);
    api::Quantity changed = present == nullptr ? api::Quantity() : *present;
    if (subtract) {
      changed.Sub(amount);
    } else {
      changed.Add(amount);
    }
    total.Set(name, std::move(changed));
  }
}

// Counts how deep the search is while it lives.
class Descent {
 public:
  explicit Descent(uint32_t& depth) : depth_(depth) { ++depth_; }
  ~Descent() { --depth_; }
  Descent(const Descent&) = delete;
  Descent& operator=(const Descent&) = delete;

 private:
  uint32_t& depth_;
};

}  // namespace

DeviceSearch::DeviceSearch(const CandidateDevices& candidates, const DeviceMatcher& matcher,
                           std::span<PreparedClaim> claims, const cluster::DeviceUses& uses,
                           std::span<const std::string> node_features, const Limits& limits)
    : candidates_(candidates),
      matcher_(matcher),
      claims_(claims),
      uses_(uses),
      node_features_(node_features),
      limits_(limits),
      attributes_(candidates),
      in_search_(candidates.devices.size()),
      chosen_(claims.size()) {}

DeviceSearch::~DeviceSearch() = default;

DeviceSearch::Outcome DeviceSearch::Run() {
  Step end = Search(limits_.plain_looks);
  if (end == Step::kGaveUp) {
    memory_ = SearchMemory::Make(*this);
    end = memory_ == nullptr && SearchMemory::IsInVain(*this) ? Step::kNothing : Search(limits_.looks_max);
  }
  switch (end) {
    case Step::kFound: return Outcome::kFound;
    case Step::kError: return Outcome::kError;
    case Step::kGaveUp: return Outcome::kGaveUp;
    case Step::kNothing:
    case Step::kTooMany: return Outcome::kNothing;
  }
  return Outcome::kNothing;
}

DeviceSearch::Step DeviceSearch::Search(uint64_t looks_limit) {
  looks_limit_ = looks_limit;
  looks_ = 0;
  return AllocateClaim(0);
}

DeviceSearch::Step DeviceSearch::AllocateClaim(uint32_t claim) {
  if (claim >= claims_.size()) return Step::kFound;
  return AllocateRequest(claim, 0);
}

DeviceSearch::Step DeviceSearch::AllocateRequest(uint32_t claim, uint32_t request) {
  const Descent descent(depth_);
  ++looks_;
  if (MustGiveUp()) return Step::kGaveUp;
  if (request >= claims_[claim].requests.size()) {
    const Step next = AllocateClaim(claim + 1);
    // Other devices for this claim may leave the next one an alternative that needs fewer.
    return next == Step::kTooMany ? Step::kNothing : next;
  }
  std::string state;
  if (memory_ != nullptr) {
    state = memory_->StateAt(claim, request);
    if (memory_->HasFailed(state)) return Step::kNothing;
  }
  const std::vector<PreparedRequest>& alternatives = claims_[claim].requests[request];
  Step end = Step::kTooMany;
  for (uint32_t i = 0; i < alternatives.size(); ++i) {
    const Step step = AllocateDevices({.claim = claim, .request = request, .alternative = i});
    if (alternatives[i].parent == nullptr) {
      end = step;
      break;
    }
    if (step == Step::kTooMany) continue;  // Another alternative may need fewer.
    end = step;
    if (step != Step::kNothing) break;
  }
  if (memory_ != nullptr && end == Step::kNothing) memory_->NoteFailure(std::move(state));
  return end;
}

DeviceSearch::Step DeviceSearch::AllocateDevices(const Position& at) {
  const PreparedRequest& request = claims_[at.claim].requests[at.request][at.alternative];
  if (request.wants_all && request.all_devices.empty()) return Step::kNothing;
  if (at.count >= request.count) return AllocateRequest(at.claim, at.request + 1);
  const auto left = kAllocationResultsMax - static_cast<int64_t>(chosen_[at.claim].size());
  if (request.count - at.count > left) return Step::kTooMany;
  return request.wants_all ? TakeAll(at, request) : AllocateNext(at, request);
}

DeviceSearch::Step DeviceSearch::TakeAll(const Position& at, const PreparedRequest& request) {
  const Descent descent(depth_);
  ++looks_;
  if (MustGiveUp()) return Step::kGaveUp;
  const uint32_t device = request.all_devices[static_cast<size_t>(at.count)];
  const Taken taken = Take(at, request, device, /*must=*/true);
  if (taken != Taken::kYes) return taken == Taken::kNo ? Step::kNothing : Step::kError;
  Position next = at;
  ++next.count;
  const Step step = AllocateDevices(next);
  if (step != Step::kFound) GiveBack(at, request, device);
  return step;
}

DeviceSearch::Step DeviceSearch::AllocateNext(const Position& at, const PreparedRequest& request) {
  const Descent descent(depth_);
  ++looks_;
  if (MustGiveUp()) return Step::kGaveUp;
  if (memory_ != nullptr && memory_->IsHopeless(at.claim, at.request, at.alternative, at.count, at.start)) {
    return Step::kNothing;
  }
  std::vector<uint32_t> failed;  // One device of each kind that led nowhere.
  for (uint32_t device = at.start; device < candidates_.devices.size(); ++device) {
    ++looks_;
    if (memory_ != nullptr && memory_->IsLikeOneOf(device, failed)) continue;
    const Taken taken = Try(at, request, device);
    if (taken == Taken::kError) return Step::kError;
    if (taken == Taken::kNo) continue;
    Position next = at;
    ++next.count;
    next.start = device + 1;
    const Step step = AllocateDevices(next);
    if (step == Step::kFound) return step;
    GiveBack(at, request, device);
    if (step != Step::kNothing) return step;
    if (memory_ != nullptr) failed.push_back(device);
  }
  return Step::kNothing;
}

bool DeviceSearch::MayBeShared(uint32_t device) const {
  return matcher_.options().consumable_capacity && candidates_.devices[device].device->allow_multiple_allocations;
}

bool DeviceSearch::IsInUse(const PreparedRequest& request, uint32_t claim, uint32_t device) const {
  const std::vector<uint32_t>& claims = in_search_[device].claims;
  if (request.is_admin()) return std::ranges::find(claims, claim) != claims.end();
  return candidates_.devices[device].is_taken() || !claims.empty();
}

bool DeviceSearch::NodeCanDoWithout(uint32_t device) const {
  const cluster::DeviceOptions& options = matcher_.options();
  // Only the newest of upstream's allocators looks.
  const bool looks = options.list_attributes || options.optional_node_operations || options.derived_attributes ||
                     options.compatibility_groups;
  if (!looks || (*candidates_.devices[device].slice)->skip_node_operations.empty()) return true;
  return options.optional_node_operations &&
         std::ranges::find(node_features_, kOptionalNodeOperations) != node_features_.end();
}

bool DeviceSearch::HasCapacity(uint32_t device, const api::ResourceList& consumed) const {
  const CandidateDevice& candidate = candidates_.devices[device];
  const DeviceInSearch& in_search = in_search_[device];
  return CapacitySuffices(*candidate.device, candidate.use == nullptr ? nullptr : &candidate.use->consumed,
                          in_search.shares > 0 ? &in_search.consumed : nullptr, consumed);
}

PoolCounters* DeviceSearch::CountersFor(uint32_t device, bool is_first_share) {
  const CandidateDevice& candidate = candidates_.devices[device];
  if (candidate.device->consumes_counters.empty()) return nullptr;
  // A further part of a device takes nothing that the first has not taken.
  if (MayBeShared(device) && (candidate.is_shared() || !is_first_share)) return nullptr;
  return &counters_
              .try_emplace(candidate.pool, *candidates_.pools[candidate.pool], uses_,
                           matcher_.options().compatibility_groups)
              .first->second;
}

DeviceSearch::Taken DeviceSearch::Failed(std::string error) {
  error_ = std::move(error);
  return Taken::kError;
}

std::optional<bool> DeviceSearch::IsSelectable(const PreparedRequest& request, uint32_t device) {
  std::vector<uint8_t>& known = answers_[&request].selectable;
  known.resize(candidates_.devices.size());
  if (known[device] == 0) {
    Result<bool> selectable = matcher_.IsSelectable(request, device);
    if (!selectable) {
      error_ = std::move(selectable).error().message;
      return std::nullopt;
    }
    known[device] = *selectable ? 2 : 1;
  }
  return known[device] == 2;
}

DeviceSearch::Taken DeviceSearch::Consumption(const PreparedRequest& request, uint32_t device,
                                              const api::ResourceList*& consumed) {
  auto& known = answers_[&request].consumed;
  auto found = known.find(device);
  if (found == known.end()) {
    Result<std::optional<api::ResourceList>> made = matcher_.Consumes(request, device);
    if (!made) {
      return Failed(fmt::format("claim {}, request {}: checking capacity for device {}: {}",
                                api::FullName(request.claim->meta), request.request->name,
                                candidates_.devices[device].Name(), made.error().message));
    }
    found = known.emplace(device, *std::move(made)).first;
  }
  if (!found->second) return Taken::kNo;
  consumed = &*found->second;
  return Taken::kYes;
}

DeviceSearch::Taken DeviceSearch::Try(const Position& at, const PreparedRequest& request, uint32_t device) {
  if (IsInUse(request, at.claim, device)) return Taken::kNo;
  const std::optional<bool> selectable = IsSelectable(request, device);
  if (!selectable) return Taken::kError;
  if (!*selectable) return Taken::kNo;
  if (matcher_.options().consumable_capacity) {
    const api::ResourceList* consumed = nullptr;
    const Taken fits = Consumption(request, device, consumed);
    if (fits != Taken::kYes) return fits;
    if (!HasCapacity(device, *consumed)) return Taken::kNo;
  }
  return Take(at, request, device, /*must=*/false);
}

DeviceSearch::Taken DeviceSearch::AddToConstraints(const PreparedRequest& request, uint32_t device, bool must) {
  for (size_t i = 0; i < request.constraints.size(); ++i) {
    const auto attribute = attributes_.Find(request, device, request.constraints[i]->attribute());
    if (attribute && request.constraints[i]->Add(*attribute)) continue;
    LeaveConstraints(request, i);
    if (!attribute) return Failed(attribute.error().message);
    if (!must) return Taken::kNo;
    return Failed(
        fmt::format("claim {}, request {}: cannot add device {} because a claim constraint would not be satisfied",
                    api::FullName(request.claim->meta), request.request->name, candidates_.devices[device].Name()));
  }
  return Taken::kYes;
}

void DeviceSearch::LeaveConstraints(const PreparedRequest& request, size_t count) {
  while (count > 0) request.constraints[--count]->Remove();
}

DeviceSearch::Taken DeviceSearch::Take(const Position& at, const PreparedRequest& request, uint32_t device, bool must) {
  const CandidateDevice& candidate = candidates_.devices[device];
  const bool may_be_shared = MayBeShared(device);
  DeviceInSearch& in_search = in_search_[device];
  if (!(request.is_admin() && may_be_shared) && IsInUse(request, at.claim, device)) return Taken::kNo;
  if (!NodeCanDoWithout(device)) return Taken::kNo;
  if (!matcher_.options().partitionable_devices && !candidate.device->consumes_counters.empty()) return Taken::kNo;
  PoolCounters* counters = CountersFor(device, in_search.shares == 0);
  if (counters != nullptr && !counters->Take(*candidate.device)) return Taken::kNo;
  Taken taken = matcher_.ToleratesTaints(request, device) ? AddToConstraints(request, device, must) : Taken::kNo;
  const api::ResourceList* consumed = nullptr;
  if (taken == Taken::kYes && matcher_.options().consumable_capacity) {
    taken = Consumption(request, device, consumed);
    if (taken == Taken::kYes && !HasCapacity(device, *consumed)) taken = Taken::kNo;
    if (taken != Taken::kYes) LeaveConstraints(request, request.constraints.size());
  }
  if (taken != Taken::kYes) {
    if (counters != nullptr) counters->GiveBack(*candidate.device);
    return taken;
  }
  ChosenDevice chosen{.request = &request, .device = device, .is_share = may_be_shared, .consumed = {}};
  if (may_be_shared) {
    ++in_search.shares;
    ChangeBy(in_search.consumed, *consumed, false);
    chosen.consumed = *consumed;
  } else {
    in_search.claims.push_back(at.claim);
  }
  chosen_[at.claim].push_back(std::move(chosen));
  return Taken::kYes;
}

void DeviceSearch::GiveBack(const Position& at, const PreparedRequest& request, uint32_t device) {
  const ChosenDevice chosen = std::move(chosen_[at.claim].back());
  chosen_[at.claim].pop_back();
  DeviceInSearch& in_search = in_search_[device];
  if (chosen.is_share) {
    ChangeBy(in_search.consumed, chosen.consumed, true);
    if (--in_search.shares == 0) in_search.consumed = {};
  } else {
    std::erase(in_search.claims, at.claim);
  }
  LeaveConstraints(request, request.constraints.size());
  if (PoolCounters* counters = CountersFor(device, in_search.shares == 0)) {
    counters->GiveBack(*candidates_.devices[device].device);
  }
}

}  // namespace berth::plugins
