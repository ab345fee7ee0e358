// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pod_control.h"

#include <utility>

namespace berth::server {

Outcome<ObjectPtr> PodControl::Create(Json pod) const {
  Outcome<ObjectPtr> created = cluster_.objects.Create(cluster_.Get("", "pods"), owner_.ns(), std::move(pod),
                                                       {.manager = std::string(kControllerManager)});
  if (created) {
    Report("Normal", "SuccessfulCreate", "Created pod: " + std::string((*created)->name()));
    return created;
  }
  if (Succeeded(controller_, created)) return nullptr;
  Report("Warning", "FailedCreate", "Error creating: " + created.error().message);
  return created;
}

Outcome<void> PodControl::Delete(const PodInfo& pod) const {
  const StoredObject& object = *pod.object;
  const auto deleted = cluster_.objects.Delete(object.resource(), object.ns(), object.name(), {.uid = object.uid()});
  if (deleted) {
    Report("Normal", "SuccessfulDelete", "Deleted pod: " + std::string(object.name()));
    return {};
  }
  if (Succeeded(controller_, deleted)) return {};
  Report("Warning", "FailedDelete", "Error deleting: " + deleted.error().message);
  StatusError error = deleted.error();
  error.message = "unable to delete pods: " + error.message;
  return std::unexpected(std::move(error));
}

void PodControl::Report(std::string_view type, std::string_view reason, std::string message) const {
  ReportEvent(cluster_, owner_, reporter_, {.type = type, .reason = reason, .message = std::move(message)});
}

}  // namespace berth::server
