// SPDX-License-Identifier: Apache-2.0
// Object streams: the single objects in manifests as kubectl writes and reads them.
//
// A document is an object, or a list of objects: `kind: List`, a typed list such as `kind: PodList`, or a bare JSON
// array. Lists may hold lists. Items of a typed list often carry neither kind nor apiVersion; they inherit both.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/decode/decode.h"
#include "api/document/value.h"
#include "base/result.h"

namespace berth::api {

struct ManifestObject {
  std::string kind;
  std::string api_version;
  Value value;                  // Valid as long as its document.
  bool is_from_server = false;  // It was read from a cluster, not written by hand: it has what only a server sets.
};

// The objects of `documents`, in order. Fails for a document that is neither an object nor a list of objects, or names
// no kind, with `line N: ` in front where the line is known.
Result<std::vector<ManifestObject>> FlattenManifests(const std::vector<Document>& documents);

// Decodes an object of a manifest, whether it names its kind or inherits it.
Result<Object> DecodeObject(const ManifestObject& object);

}  // namespace berth::api
