// SPDX-License-Identifier: Apache-2.0
// Readers of the API structures that several kinds share.

#pragma once

#include <string>
#include <string_view>

#include "api/decode/field_reader.h"
#include "api/objects/meta.h"
#include "api/objects/pod.h"
#include "api/parts/selector.h"

namespace berth::api {

void ReadMeta(FieldReader& r, ObjectMeta& meta);
void ReadLabelSelector(FieldReader& r, LabelSelector& selector);
void ReadNodeSelector(FieldReader& r, NodeSelector& selector);
void ReadNodeAffinity(FieldReader& r, NodeAffinity& affinity);
void ReadAffinity(FieldReader& r, Affinity& affinity);
// A reader at a pod's volume or at the spec of a persistent volume: both name their source by the member that is set.
void ReadVolumeSource(FieldReader& r, Volume& volume);
// The claims that a pod or a group names, and how they are called in its status.
void ReadPodResourceClaim(FieldReader& r, PodResourceClaim& claim);
void ReadResourceClaimStatus(FieldReader& r, PodResourceClaimStatus& status);
void ReadPodCondition(FieldReader& r, PodCondition& condition);

// How errors call an object: `Pod ns/name`, or the kind alone if it has no name.
std::string DescribeObject(std::string_view kind, Value value);

// Decodes an object of `kind` with `read(FieldReader&, T&)`, which reads everything but the metadata.
template <class T>
Result<T> DecodeAs(std::string_view kind, Value value, void (*read)(FieldReader&, T&)) {
  FieldReader r(value);
  T object;
  r.Read("metadata", object.meta, ReadMeta);
  read(r, object);
  if (!r.ok()) return std::unexpected(r.error(DescribeObject(kind, value)));
  return object;
}

}  // namespace berth::api
