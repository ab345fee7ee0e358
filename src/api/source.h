// SPDX-License-Identifier: Apache-2.0
// Sources: whole objects as text, beside the parts that scheduling reads.
//
// HTTP extenders are sent pods and nodes as upstream would write them, with all their fields. So where there are
// extenders, a pod or a node keeps the canonical JSON of the object that it was decoded from: without kind and
// apiVersion, and a pod without managedFields, which upstream's scheduler drops from pods as well.
//
// Thread: any. Cost: about as much as decoding the object.

#pragma once

#include <string>
#include <string_view>

#include "api/document/value.h"
#include "api/objects/object.h"
#include "base/result.h"

namespace berth::api {

// Which objects keep theirs.
struct KeptSources {
  bool pods = false;
  bool nodes = false;

  // Whether objects of this kind, such as "Pod", do.
  bool Has(std::string_view kind) const { return (pods && kind == "Pod") || (nodes && kind == "Node"); }
  bool operator==(const KeptSources&) const = default;
};

// Gives a decoded object the source that it was decoded from. Objects of other kinds than Pod and Node have none. Fails
// if a field that scheduling does not read has the wrong type; the object then has no source, but can be used.
Result<void> KeepSource(Pod& pod, Value value);
Result<void> KeepSource(Node& node, Value value);
Result<void> KeepSource(Object& object, Value value);

// The source of a pod as it is with spec.nodeName set: an assumed pod keeps the source from before.
std::string SourceOnNode(std::string_view pod_source, std::string_view node_name);

}  // namespace berth::api
