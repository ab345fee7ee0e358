// SPDX-License-Identifier: Apache-2.0
// Decoders: from a parsed document to API objects.
//
// A decoder reads what scheduling needs and ignores the rest. It refuses data of the wrong type (a string where a list
// belongs, a quantity that does not parse) with the path of the field and the reason; what is well formed but
// semantically wrong (an invalid selector, an unknown toleration operator) passes and fails where upstream fails.

#pragma once

#include "api/document/value.h"
#include "api/objects/object.h"

namespace berth::api {

// Decodes one object by its kind and apiVersion. Errors read `Pod ns/name: spec.containers[0].resources.requests.cpu:
// reason`, and carry `line N: ` in front where the line is known. Code::kNotFound means a kind that the scheduler does
// not read.
Result<Object> DecodeObject(Value value);

// Decodes an object of a kind that is known, whatever it says about itself.
template <class T>
Result<T> DecodeKind(Value value);
#define BERTH_DECODE_KIND(type, ...) \
  template <>                        \
  Result<type> DecodeKind<type>(Value value);
BERTH_KINDS(BERTH_DECODE_KIND)
#undef BERTH_DECODE_KIND
inline Result<Pod> DecodePod(Value value) { return DecodeKind<Pod>(value); }
inline Result<Node> DecodeNode(Value value) { return DecodeKind<Node>(value); }

// A pod from a template (spec.template of a Deployment and the like): metadata labels and annotations, and the spec.
Result<Pod> DecodePodTemplate(Value pod_template);

// The members of a pod's status that tell of claims which the scheduler has made or seen through.
Result<void> DecodeClaimStatuses(Value status, PodStatus& out);

// Parts that other decoders need. `path` starts the path of errors.
Result<NodeAffinity> DecodeNodeAffinity(Value value, const std::string& path);
Result<std::optional<LabelSelector>> DecodeLabelSelector(Value value, const std::string& path);

}  // namespace berth::api
