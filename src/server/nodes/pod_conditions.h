// SPDX-License-Identifier: Apache-2.0
// The conditions of a pod that its kubelet writes, in upstream's words: they follow from its phase and from the
// statuses of its containers.

#pragma once

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

// Brings them up to date, and says which generation of the pod they and its status are about.
void SetKubeletConditions(Json& pod, Time now);

}  // namespace berth::server
