// SPDX-License-Identifier: Apache-2.0
// Which objects must keep their whole text, because an extender is sent it.

#pragma once

#include <span>

#include "api/source.h"
#include "framework/configuration.h"

namespace berth::framework {

api::KeptSources SourcesForExtenders(std::span<const ExtenderConfiguration> extenders);

}  // namespace berth::framework
