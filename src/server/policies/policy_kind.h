// SPDX-License-Identifier: Apache-2.0
// ValidatingAdmissionPolicies and their bindings as kinds: what may be written.

#pragma once

#include <memory>

#include "server/model/strategy.h"

namespace berth::server {

std::unique_ptr<Strategy> MakeValidatingAdmissionPolicyStrategy();
std::unique_ptr<Strategy> MakeValidatingAdmissionPolicyBindingStrategy();

}  // namespace berth::server
