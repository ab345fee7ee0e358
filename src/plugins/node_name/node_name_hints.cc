// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_name/node_name.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

std::vector<framework::EventRegistration> NodeName::EventsToRegister() const {
  return {{.event = {EventResource::kNode, action::kAdd}}};
}

}  // namespace berth::plugins
