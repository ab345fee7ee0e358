// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/volumes/ephemeral_volumes.h"

#include <fmt/format.h>

#include "server/controllers/ephemeral_claim_name.h"
#include "server/controllers/event_report.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {

void EphemeralVolumes::OnChange(const Change& change, const Enqueue& enqueue) {
  const StoredObject& object = *change.object;
  if (&object.resource() != &pods_ || change.type != Change::Type::kAdded) return;
  const PodInfo* pod = cluster_.pods.Find(object.key());
  if (pod != nullptr && pod->has_ephemeral_volumes) enqueue(object.key(), Duration{});
}

std::optional<Duration> EphemeralVolumes::Sync(const std::string& key) {
  const PodInfo* found = cluster_.pods.Find(key);
  if (found == nullptr || !found->is_active()) return std::nullopt;
  const ObjectPtr pod = found->object;
  const Json tree = pod->Tree();
  bool is_done = true;
  for (const Json& volume : tree["spec"]["volumes"].items()) {
    if (!volume.Has("ephemeral")) continue;
    const std::string name = EphemeralClaimName(*pod, volume);
    if (const ObjectPtr present = cluster_.store().Find(claims_, pod->ns(), name); present != nullptr) {
      if (ControllerAmong(present->owners())["uid"].text() == pod->uid()) continue;
      TellOfFailure(*pod, volume,
                    fmt::format("PVC {} was not created for pod {} (pod is not owner)", present->key(), pod->key()));
      continue;
    }
    const Json& wanted = volume["ephemeral"]["volumeClaimTemplate"];
    Json claim{{"apiVersion", Json::String("v1")},
               {"kind", Json::String("PersistentVolumeClaim")},
               {"metadata", wanted["metadata"]},
               {"spec", wanted["spec"]}};
    Json& metadata = claim.Make("metadata");
    metadata.Set("name", name);
    metadata.Set("namespace", pod->ns());
    metadata.Set("ownerReferences", Json::MakeList({ControllerReference(*pod)}));
    const auto created =
        cluster_.objects.Create(claims_, pod->ns(), std::move(claim), {.manager = "kube-controller-manager"});
    if (Succeeded(*this, created)) continue;
    TellOfFailure(*pod, volume, fmt::format("create PVC {}: {}", name, created.error().message));
    is_done = false;
  }
  return is_done ? std::nullopt : std::optional(kRetry);
}

void EphemeralVolumes::TellOfFailure(const StoredObject& pod, const Json& volume, std::string_view why) {
  ReportEvent(cluster_, pod, "ephemeral_volume",
              {.type = "Warning",
               .reason = "FailedBinding",
               .message = fmt::format("ephemeral volume {}: {}", volume["name"].text(), why)});
}

}  // namespace berth::server
