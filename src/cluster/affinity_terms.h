// SPDX-License-Identifier: Apache-2.0
// Compiles the pod affinity and anti-affinity terms of a pod's spec.

#pragma once

#include "cluster/pod_info.h"

namespace berth::cluster {

// Fills the term lists and affinity_error of `pod_template` from its namespace and spec. A list with a term that does
// not compile stays empty as a whole; the error has upstream's text.
void CompileAffinityTerms(PodTemplate& pod_template);

}  // namespace berth::cluster
