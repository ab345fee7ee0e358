// SPDX-License-Identifier: Apache-2.0
// The rules of the types of scheduling.k8s.io, which are the same in all of its versions.

#pragma once

#include "server/kinds/declared_rules.h"

namespace berth::server {

extern const TypeRules kPodGroupSpec;
extern const TypeRules kPodGroupStatus;
extern const TypeRules kCompositePodGroupSpec;
extern const TypeRules kWorkloadSpec;

}  // namespace berth::server
