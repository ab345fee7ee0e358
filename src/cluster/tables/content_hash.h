// SPDX-License-Identifier: Apache-2.0
// Hashes of what pods share, to find equal templates and label sets. Equal content has equal hashes.

#pragma once

#include <cstdint>
#include <string_view>

#include "api/objects/pod.h"

namespace berth::cluster {

uint64_t HashLabels(const api::Labels& labels);
uint64_t HashTemplate(std::string_view ns, const api::OwnerReference& controller, const api::PodSpec& spec);

}  // namespace berth::cluster
