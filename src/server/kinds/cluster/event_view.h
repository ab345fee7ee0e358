// SPDX-License-Identifier: Apache-2.0
// The two views of an event: that of the core group, in which it is kept, and that of events.k8s.io.
//
// They differ in the names of fields only. Objects are taken and given in canonical form.

#pragma once

#include "server/model/json.h"

namespace berth::server {

Json ToCoreEvent(Json event);
Json ToNewEvent(Json event);

}  // namespace berth::server
