// SPDX-License-Identifier: Apache-2.0
// Timeline: what happens to a cluster and when, read from a YAML file.
//
// Everything is decoded, checked and given its defaults when the file is read, in the order in which it will happen, so
// that a run cannot stumble over bad input. The format is described in docs/simulate.md.

#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/objects/object.h"
#include "app/simulate/manifests.h"
#include "app/simulate/world.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::simulate {

// How the simulated cluster behaves.
struct TimelineSettings {
  Duration bind_latency = Milliseconds(10);  // Of every call to the API server.
  Duration eviction_grace_period = Seconds(30);
  Duration scheduling_interval = Milliseconds(1);  // From one attempt to the next.
  Duration sample_interval = Seconds(1);
  // The run ends when nothing has helped a pod for so long: longer than any backoff and than the five minutes after
  // which the queue tries a pod again without a cause.
  Duration patience = Minutes(6);

  // Everything happens at once, and nobody asks how the cluster was at which time. Pods are not tried without a cause.
  static TimelineSettings Timeless() {
    return {.bind_latency = {},
            .eviction_grace_period = {},
            .scheduling_interval = Milliseconds(1),
            .sample_interval = Minutes(60),
            .patience = Minutes(1)};
  }
};

struct CreateObjects {
  World objects;
  std::optional<Duration> runs;  // How long its pods run once they are bound; absent: for ever.
};

struct DeleteObject {
  std::string kind;
  std::string ns;  // Empty for kinds without namespace.
  std::string name;
};

// A patched object in place of the old one. Of a pod, what the cluster made of it (node, status) stays.
struct ReplaceObject {
  World object;
};

// The node is cordoned, and its pods are evicted, except those of DaemonSets.
struct DrainNode {
  World cordoned;
  std::string name;
};

struct TimelineEvent {
  Duration at;
  std::variant<CreateObjects, DeleteObject, ReplaceObject, DrainNode> what;
};

struct Arrivals {
  Duration from;
  std::optional<Duration> until;  // The first time without an arrival; absent: to the end.
  Duration gap;                   // From one arrival to the next; on average, if `poisson`.
  bool poisson = false;
  PodSource pod;            // The first one.
  std::string name_prefix;  // Of the others.
  std::optional<Duration> runs;
};

struct Timeline {
  TimelineSettings settings;
  std::vector<TimelineEvent> events;  // In order of time.
  std::vector<Arrivals> arrivals;
  std::vector<std::string> notes;
  NameGenerator names;  // Knows every name in the input.
};

// Reads the timeline for a cluster whose manifests are `cluster`, and what was made of them `world`. Errors name the
// file and the line.
Result<Timeline> ReadTimeline(const std::string& path, const Manifests& cluster, const World& world);
// The same for a text; `path` is for errors and for files that it names.
Result<Timeline> ParseTimeline(std::string_view text, const std::string& path, const Manifests& cluster,
                               const World& world);

}  // namespace berth::simulate
