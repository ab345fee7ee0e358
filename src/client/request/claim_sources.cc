// SPDX-License-Identifier: Apache-2.0
#include "client/request/claim_sources.h"

#include <fmt/format.h>

#include <utility>

#include "api/typed/typed.h"
#include "client/request/object_encoding.h"

namespace berth::client {
namespace {

constexpr std::string_view kClaimVersion = "resource.k8s.io/v1";
constexpr std::string_view kClaimKind = "ResourceClaim";

std::string ClaimKey(std::string_view ns, std::string_view name) { return fmt::format("{}/{}", ns, name); }

}  // namespace

void ClaimSources::Keep(std::string_view ns, std::string_view name, const api::wire::EncodedObject& claim) {
  Forget(ns, name);
  if (bytes_ + claim.bytes.size() > bytes_max_) return;
  bytes_ += claim.bytes.size();
  claims_.try_emplace(ClaimKey(ns, name), Source{claim.encoding, std::string(claim.bytes)});
}

void ClaimSources::Forget(std::string_view ns, std::string_view name) {
  const auto found = claims_.find(ClaimKey(ns, name));
  if (found == claims_.end()) return;
  bytes_ -= found->second.bytes.size();
  claims_.erase(found);
}

void ClaimSources::Clear() {
  claims_.clear();
  bytes_ = 0;
}

std::optional<std::string> ClaimSources::Take(std::string_view ns, std::string_view name) {
  const auto found = claims_.find(ClaimKey(ns, name));
  if (found == claims_.end()) return std::nullopt;
  const Source source = std::move(found->second);
  bytes_ -= source.bytes.size();
  claims_.erase(found);

  const api::wire::Kind& kind = *api::wire::FindKind(kClaimVersion, kClaimKind);
  const Result<api::Document> claim =
      api::wire::ReadObject({source.encoding, source.bytes}, kind, {.leave_out = kLeftOut});
  if (!claim) return std::nullopt;
  const api::wire::Message& message = api::wire::MessageAt(kind.message);
  api::Json tree = api::Json::FromValue(claim->root());
  tree.Set("apiVersion", api::Json::String(kClaimVersion));
  tree.Set("kind", api::Json::String(kClaimKind));
  if (!api::Canonicalize(tree, message)) return std::nullopt;
  return api::EncodeJson(tree, message);
}

}  // namespace berth::client
