// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/claims.h"

#include <charconv>

#include <fmt/format.h>

#include "framework/claim_effects.h"

namespace berth::simulate {
namespace {

std::string ClaimNotFound(const std::string& name) { return fmt::format("resourceclaims \"{}\" not found", name); }

}  // namespace

// A claim takes a newer version only.
void ClaimKeeper::Store(api::ResourceClaim claim) {
  uint64_t version = 0;
  const std::string& text = claim.meta.resource_version;
  std::from_chars(text.data(), text.data() + text.size(), version);
  claim.meta.resource_version = std::to_string(version + 1);
  put_(std::move(claim));
}

std::string ClaimKeeper::Carry(const framework::BindClaim& bind, Time now) {
  api::ResourceClaim claim = bind.claim;
  if (claim.meta.name.empty()) {
    claim.meta.name = framework::ExtendedClaimName(*bind.pod);
    claim.meta.uid = "uid-" + claim.meta.name;
  } else {
    const api::ResourceClaim* found = cluster_.objects.resource_claims.Find(claim.meta.ns, claim.meta.name);
    if (found == nullptr || found->meta.uid != claim.meta.uid) return ClaimNotFound(claim.meta.name);
    claim = *found;
  }
  std::string refusal = framework::Apply(bind, claim, now);
  if (refusal.empty()) Store(std::move(claim));
  return refusal;
}

template <class Effect>
std::string ClaimKeeper::Change(const Effect& effect) {
  const api::ResourceClaim* found = cluster_.objects.resource_claims.Find(effect.pod->ns(), effect.claim_name);
  if (found == nullptr) return ClaimNotFound(effect.claim_name);
  api::ResourceClaim claim = *found;
  std::string refusal = framework::Apply(effect, claim);
  if (refusal.empty()) Store(std::move(claim));
  return refusal;
}

template std::string ClaimKeeper::Change(const framework::UnreserveClaim& effect);
template std::string ClaimKeeper::Change(const framework::DeallocateClaim& effect);

std::string ClaimKeeper::Carry(const framework::DeleteClaim& order) {
  remove_(order.pod->ns(), order.claim_name);
  return "";
}

}  // namespace berth::simulate
