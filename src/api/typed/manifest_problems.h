// SPDX-License-Identifier: Apache-2.0
// ManifestProblems: what in an object of a manifest Kubernetes does not know, and what was probably meant.
//
// A reader takes from an object what it knows and leaves the rest; so a field that is misspelt is as good as not there,
// and an object of a misspelt kind as well. This finds them: kinds, versions and fields are compared with the wire
// table, as strict validation of an API server does. Custom resources cannot be told from misspelt ones and pass.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/decode/object_stream.h"

namespace berth::api {

struct ManifestProblem {
  uint32_t line = 0;  // 0: not known.
  std::string text;   // `unknown field "spec.nodeNamee"; did you mean nodeName?`
};

// In the order of the text.
std::vector<ManifestProblem> ManifestProblems(const ManifestObject& object);

}  // namespace berth::api
