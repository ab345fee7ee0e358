// SPDX-License-Identifier: Apache-2.0
// MutatingWebhookConfigurations and ValidatingWebhookConfigurations as kinds: what may be written.

#pragma once

#include <memory>

#include "server/model/strategy.h"

namespace berth::server {

std::unique_ptr<Strategy> MakeMutatingWebhookConfigurationStrategy();
std::unique_ptr<Strategy> MakeValidatingWebhookConfigurationStrategy();

}  // namespace berth::server
