// SPDX-License-Identifier: Apache-2.0
// PodScript: what is to become of a simulated pod, as its annotations (server/kinds/pods/life_annotations.h) or a file
// (behaviour.h) say.

#pragma once

#include <cstdint>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

struct PodScript {
  Duration start_after{};  // From its binding until its first container starts.
  Duration init_for{};     // How long each init container runs, but for sidecars.
  Duration ready_after{};  // From the start of a container until it is ready.
  Duration exit_after{};   // From the start of a container until it exits; zero: it does not.
  int64_t exit_code = 0;   // Of a container that exits.
  Duration end_after{};    // From its start until the pod ends, whatever its restart policy says; zero: it does not.
  bool fails = false;      // When it ends so.
  Duration terminate_after{};  // From its deletion until its containers have ended.

  // Whether it says when something happens to single containers; and to the pod, once it has started.
  bool times_containers() const { return init_for > Duration{} || ready_after > Duration{} || exit_after > Duration{}; }
  bool takes_time() const { return times_containers() || end_after > Duration{}; }
};

// What its annotations do not say is as in `otherwise`. Pods of Jobs end a moment after they began, if nothing else is
// said of their end.
PodScript ScriptOf(const Json& pod, PodScript otherwise = {});

// From its deletion until the containers of a pod with this script have ended, if it has the time: what the script
// says, or the longest sleep that they are given before they stop.
Duration StopOf(const Json& pod, const PodScript& script);

// Whether a pod with this script ends of itself, as far as can be told.
bool EndsOfItself(const Json& pod, const PodScript& script);

}  // namespace berth::server
