// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/volumes/volume_expansion.h"

#include <fmt/format.h>

#include <utility>

#include "api/parts/quantity.h"
#include "server/controllers/event_report.h"
#include "server/controllers/owned_pods.h"
#include "server/store/storage_class.h"

namespace berth::server {
namespace {

api::Quantity Storage(const Json& resources) {
  return api::Quantity::Parse(resources["storage"].text()).value_or(api::Quantity());
}

bool WantsMore(const Json& claim) {
  return claim["status"]["phase"].text() == "Bound" &&
         Storage(claim["spec"]["resources"]["requests"]).Cmp(Storage(claim["status"]["capacity"])) > 0;
}

}  // namespace

void VolumeExpansion::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() != &claims_ || change.type == Change::Type::kDeleted) return;
  if (WantsMore(*object.tree())) enqueue(object.key(), Duration{});
}

std::optional<Duration> VolumeExpansion::Sync(const std::string& key) {
  const auto found = cluster_.store().All(claims_).find(key);
  if (found == cluster_.store().All(claims_).end()) return std::nullopt;
  const ObjectPtr claim = found->second;
  const TreePtr tree = claim->tree();
  if (!WantsMore(*tree)) return std::nullopt;
  const ObjectPtr volume = cluster_.store().Find(volumes_, "", (*tree)["spec"]["volumeName"].text());
  if (volume == nullptr || (*volume->tree())["spec"]["claimRef"]["uid"].text() != claim->uid()) return std::nullopt;
  const Json& size = (*tree)["spec"]["resources"]["requests"]["storage"];
  return Resize(*claim, *volume, size) ? std::nullopt : std::optional(kRetry);
}

bool VolumeExpansion::Resize(const StoredObject& claim, const StoredObject& volume, const Json& size) {
  ReportEvent(cluster_, claim, "volume_expand",
              {.type = "Normal",
               .reason = "ExternalExpanding",
               .message = "waiting for an external controller to expand this PVC"});
  const auto note = [&](std::string_view reason, std::string message) {
    ReportEvent(cluster_, claim, fmt::format("external-resizer {}", kSimulatedDriver),
                {.type = "Normal", .reason = reason, .message = std::move(message)});
  };
  note("Resizing", fmt::format("External resizer is resizing volume {}", volume.name()));
  const auto grown = cluster_.objects.Update(volumes_, "", volume.name(), {.manager = std::string(kControllerManager)},
                                             [&](const Json& current) -> Outcome<Json> {
                                               Json changed = current;
                                               Json& capacity = changed.Make({"spec", "capacity"});
                                               // A volume may be larger than what was asked for.
                                               const Json asked{{"storage", size}};
                                               if (Storage(capacity).Cmp(Storage(asked)) < 0) {
                                                 capacity.Set("storage", size);
                                               }
                                               return changed;
                                             });
  if (!Succeeded(*this, grown)) return false;
  const ObjectPtr present = cluster_.store().Find(volumes_, "", volume.name());
  if (present == nullptr) return true;
  const Json capacity = present->Tree()["spec"]["capacity"];
  if (!WriteStatus(cluster_, claim, [&](Json& status) { status.Set("capacity", capacity); })) return false;
  note("VolumeResizeSuccessful", "Resize volume succeeded");
  return true;
}

}  // namespace berth::server
