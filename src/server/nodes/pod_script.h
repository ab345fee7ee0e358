// SPDX-License-Identifier: Apache-2.0
// PodScript: what is to become of a simulated pod, as its annotations (server/kinds/pods/life_annotations.h) or a file
// (behaviour.h) say, and where they say nothing of it, the commands of its containers (container_command.h).

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "server/model/json.h"
#include "server/nodes/container_command.h"

namespace berth::server {

struct PodScript {
  Duration start_after{};  // From its binding until its first container starts.
  Duration init_for{};     // How long each init container runs, but for sidecars.
  Duration ready_after{};  // From the start of a container until it is ready.
  Duration exit_after{};   // From the start of a container until it exits; zero: it does not.
  int64_t exit_code = 0;   // Of a container that exits.
  Duration end_after{};    // From its start until the pod ends, whatever its restart policy says; zero: it does not.
  bool fails = false;      // When it ends so.
  Duration terminate_after{};  // From its deletion until its containers have ended, as far as they heed being told to.
  bool is_stop_told = false;   // They do: how long they take was said, even if it is no time at all.
  bool obeys_commands = true;
  // Of containers and init containers whose commands are known, by name.
  std::map<std::string, ContainerCommand, std::less<>> commands = {};

  // When a container exits, from its start on; none: it does not.
  struct Exit {
    Duration after{};
    int64_t code = 0;
  };
  std::optional<Exit> ExitOf(std::string_view container) const;
  std::optional<Exit> ExitOfInit(std::string_view container) const;
  // Whether it says when something happens to single containers; and to the pod, once it has started.
  bool times_containers() const;
  bool takes_time() const { return times_containers() || end_after > Duration{}; }
};

// What its annotations do not say is as in `otherwise`. The containers of Jobs exit a moment after they began, if
// nothing is known of when they do.
PodScript ScriptOf(const Json& pod, PodScript otherwise = {});

// Whether a pod with this script ends of itself, as far as can be told.
bool EndsOfItself(const Json& pod, const PodScript& script);

}  // namespace berth::server
