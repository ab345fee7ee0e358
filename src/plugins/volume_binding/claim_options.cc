// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/claim_options.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "plugins/helpers/volume_claims.h"

namespace berth::plugins {
namespace {

std::string_view VolumeMode(const std::string& written) {
  return written.empty() ? "Filesystem" : std::string_view(written);
}

std::string_view AttributesClass(const std::optional<std::string>& written) {
  return written ? std::string_view(*written) : std::string_view();
}

// What a volume has to offer even if it is reserved for the claim.
bool IsSuitable(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim,
                const api::Quantity& requested) {
  return StorageAmount(volume.capacity).Cmp(requested) >= 0 &&
         VolumeMode(volume.volume_mode) == VolumeMode(claim.volume_mode) &&
         AttributesClass(volume.volume_attributes_class_name) == AttributesClass(claim.volume_attributes_class_name) &&
         !volume.meta.deletion_timestamp;
}

bool HasAccessModes(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  return std::ranges::all_of(claim.access_modes, [&](const std::string& mode) {
    return std::ranges::find(volume.access_modes, mode) != volume.access_modes.end();
  });
}

}  // namespace

bool IsReservedFor(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  const std::optional<api::ObjectReference>& reference = volume.claim_ref;
  return reference && reference->name == claim.meta.name && reference->ns == claim.meta.ns &&
         (reference->uid.empty() || reference->uid == claim.meta.uid);
}

ClaimOptions::ClaimOptions(const api::PersistentVolumeClaim& claim,
                           const cluster::AssumedObjects<api::PersistentVolume>& volumes) {
  api::Selector selector = api::Selector::Everything();
  if (claim.selector) {
    Result<api::Selector> compiled = api::Selector::Compile(claim.selector);
    if (!compiled) {
      error_ = fmt::format("error creating internal label selector for claim: {}/{}: {}", claim.meta.ns,
                           claim.meta.name, compiled.error().message);
      return;
    }
    selector = std::move(*compiled);
  }
  const std::string_view class_name = StorageClassName(claim);
  const api::Quantity requested = StorageAmount(claim.requests);
  volumes.ForEach([&](const std::shared_ptr<const api::PersistentVolume>& volume) {
    if (StorageClassName(*volume) != class_name || !IsSuitable(*volume, claim, requested)) return;
    if (IsReservedFor(*volume, claim)) {
      reserved_.push_back({volume, VolumeAffinity(volume->node_affinity)});
    } else if (!volume->claim_ref && volume->phase == "Available" && selector.Matches(volume->meta.labels) &&
               HasAccessModes(*volume, claim)) {
      options_.push_back({volume, VolumeAffinity(volume->node_affinity)});
    }
  });
  std::ranges::stable_sort(options_, [](const Option& a, const Option& b) {
    return StorageAmount(a.volume->capacity).Cmp(StorageAmount(b.volume->capacity)) < 0;
  });
  for (uint32_t i = 0; i < options_.size(); ++i) options_[i].affinity.AddTo(index_, i);
}

const api::PersistentVolume* ClaimOptions::Choose(const api::Labels& node_labels,
                                                  std::span<const api::PersistentVolume* const> taken) const {
  const auto is_taken = [&](const Option& option) {
    return std::ranges::find(taken, option.volume.get()) != taken.end();
  };
  for (const Option& option : reserved_) {
    if (!is_taken(option)) return option.affinity.Matches(node_labels) ? option.volume.get() : nullptr;
  }
  const std::optional<LabelIndex::Item> first = index_.First(node_labels, [&](LabelIndex::Item item) {
    return !is_taken(options_[item]) && options_[item].affinity.Matches(node_labels);
  });
  return first ? options_[*first].volume.get() : nullptr;
}

}  // namespace berth::plugins
