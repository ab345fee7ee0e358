// SPDX-License-Identifier: Apache-2.0
// The few floating-point functions whose last bit reaches a score, computed as Go on amd64 computes them.
//
// Scores are compared with those of kube-scheduler, so a logarithm that differs in the last bit could move a pod.
// Nothing here calls the C library, whose results differ between versions.

#pragma once

#include <cstdint>

namespace berth {

// The natural logarithm, bit for bit Go's math.Log.
double GoLog(double x);

// Rounds half away from zero; NaN and what does not fit yield the lowest int64, as Go's int64(math.Round(x)).
int64_t RoundHalfAway(double x);

}  // namespace berth
