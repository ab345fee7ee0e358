// SPDX-License-Identifier: Apache-2.0
// MutatingAdmissionPolicies and their bindings as kinds: what may be written.

#pragma once

#include <memory>

#include "server/model/strategy.h"

namespace berth::server {

std::unique_ptr<Strategy> MakeMutatingAdmissionPolicyStrategy();
std::unique_ptr<Strategy> MakeMutatingAdmissionPolicyBindingStrategy();

}  // namespace berth::server
