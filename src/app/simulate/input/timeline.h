// SPDX-License-Identifier: Apache-2.0
// Timeline: what happens to a cluster and when, read from a YAML file.
//
// What is written in the file is checked when it is read; what depends on the cluster, such as whether an object
// exists, is refused by its API server when it happens. The format is described in docs/simulate.md.

#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "server/model/json.h"
#include "server/model/resource.h"
#include "world/manifests.h"

namespace berth::simulate {

using world::Manifest;
using world::Manifests;

// How the simulated cluster behaves.
struct TimelineSettings {
  Duration bind_latency = Milliseconds(10);  // Of every call to the API server.
  Duration eviction_grace_period = Seconds(30);
  Duration scheduling_interval = Milliseconds(1);  // From one attempt to the next.
  Duration sample_interval = Seconds(1);
  // The run ends when nothing has helped a pod for so long: longer than any backoff and than the five minutes after
  // which the queue tries a pod again without a cause.
  Duration patience = Minutes(6);
  bool is_timeless = false;  // Pods that run do not end, and taints evict none.

  // Everything happens at once, and nobody asks how the cluster was at which time. Pods are not tried without a cause.
  static TimelineSettings Timeless() {
    return {.bind_latency = {},
            .eviction_grace_period = {},
            .scheduling_interval = Milliseconds(1),
            .sample_interval = Minutes(60),
            .patience = Minutes(1),
            .is_timeless = true};
  }
};

struct CreateObjects {
  Manifests manifests;
  std::optional<Duration> runs;  // How long its pods run once they are bound; absent: what they say themselves.
};

// An object that is to be changed. Empty namespace: its kind has none.
struct Target {
  std::string kind;
  std::string ns;
  std::string name;
};

struct DeleteObject {
  Target target;
};

// A JSON merge patch.
struct PatchObject {
  Target target;
  server::Json patch;
};

// The node is cordoned, and its pods are evicted, except those of DaemonSets.
struct DrainNode {
  std::string name;
};

struct TimelineEvent {
  Duration at;
  std::string origin;  // "timeline.yaml:12: events[3].drain", for errors.
  std::variant<CreateObjects, DeleteObject, PatchObject, DrainNode> what;
};

// Pods that come one after another.
struct Arrivals {
  Duration from;
  std::optional<Duration> until;  // The first time without an arrival; absent: to the end.
  Duration gap;                   // From one arrival to the next; on average, if `poisson`.
  bool poisson = false;
  std::string ns;
  server::Json pod;    // Canonical, with a generateName and how long it runs.
  std::string origin;  // As of an event.
};

struct Timeline {
  TimelineSettings settings;
  std::vector<TimelineEvent> events;  // In order of time.
  std::vector<Arrivals> arrivals;
  std::vector<api::Document> documents;  // Which the manifests of events point into.
};

// Errors name the file and the line.
Result<Timeline> ReadTimeline(const std::string& path, const server::Catalog& catalog);
// The same for a text; `path` is for errors and for files that it names.
Result<Timeline> ParseTimeline(std::string_view text, const std::string& path, const server::Catalog& catalog);

}  // namespace berth::simulate
