// SPDX-License-Identifier: Apache-2.0
// What VolumeBinding remembers of one pod, from PreFilter until the volumes are bound.

#pragma once

#include <optional>

#include "framework/cycle.h"
#include "plugins/volume_binding/bound_volumes.h"
#include "plugins/volume_binding/delayed_claims.h"
#include "plugins/volume_binding/volume_reservation.h"

namespace berth::plugins {

struct VolumeBindingState : framework::PluginState {
  BoundVolumes bound;
  DelayedClaims delayed;
  bool is_reserved = false;                      // Reserve has succeeded.
  std::optional<VolumeReservation> reservation;  // Absent while nothing has to be bound.
  std::optional<Time> binding_since;             // When the updates were sent.
};

}  // namespace berth::plugins
