// SPDX-License-Identifier: Apache-2.0
// Workload: a controller from the input that makes pods: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job or
// ReplicationController.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode/object_stream.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "base/result.h"

namespace berth::simulate {

// A pod, or a template of one, with the claims of its generic ephemeral volumes.
struct PodSource {
  api::Pod pod;
  std::vector<api::PersistentVolumeClaim> ephemeral_claims;  // Each has the name of its volume.
  std::string origin;                                        // For errors; see Manifest.
};

struct Workload {
  std::string kind;
  std::string api_version;
  api::ObjectMeta meta;
  int32_t replicas = 1;                // Job: parallelism.
  std::optional<int32_t> completions;  // Job.
  int32_t succeeded = 0;               // Job: pods that have done their work.
  bool is_over = false;                // Job: suspended, complete or failed.
  int32_t first_ordinal = 0;           // StatefulSet.
  std::optional<api::LabelSelector> selector;
  std::optional<PodSource> pod;                    // Absent: there is no template, so nothing is made.
  std::string template_hash;                       // Differs where templates differ.
  std::vector<api::PersistentVolumeClaim> claims;  // StatefulSet: volumeClaimTemplates.
  std::string origin;
};

// Whether objects of this kind make pods.
bool IsWorkload(std::string_view kind, std::string_view api_version);

// Fails like api::DecodeObject. REQUIRES: IsWorkload.
Result<Workload> DecodeWorkload(const api::ManifestObject& object);

// A pod object, or a template if `is_template`, with its ephemeral claims.
Result<PodSource> DecodePodSource(api::Value value, bool is_template);

}  // namespace berth::simulate
