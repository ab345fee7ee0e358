// SPDX-License-Identifier: Apache-2.0
// Loader: brings manifests into a cluster, as its API server takes them.
//
// What was written by hand is created: it gets its defaults, is admitted and validated. What comes from a cluster was,
// and is stored as it is, without what this version does not know. Namespaces that are missing are made.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "world/manifests.h"
#include "world/world.h"

namespace berth::world {

// So many pods a simulation makes at most, and a loader that is not told otherwise.
inline constexpr int64_t kPodsMax = 1'000'000;

class Loader {
 public:
  // REQUIRES: the world outlives this.
  Loader(World& world, bool takes_cron_jobs) : world_(world), takes_cron_jobs_(takes_cron_jobs) {}

  // What others refer to comes first, pods come in the order in which they were made. All that is wrong with the input
  // is reported together, one line each: file, line, object, reason. `runs`: how long its pods run.
  Result<void> Load(const Manifests& manifests, std::optional<Duration> runs = {});

  // So many pods may be asked for, in all that is loaded.
  void set_pods_max(int64_t pods_max) { pods_max_ = pods_max; }
  // Called after every object; where it fails, loading ends with its error.
  void set_pause(std::function<Result<void>()> pause) { pause_ = std::move(pause); }

  // What the user should know about how the input was read.
  std::vector<std::string> TakeNotes();

 private:
  struct Item {
    const Manifest* manifest = nullptr;
    const server::Resource* resource = nullptr;
    int rank = 0;
    Time created;  // Of pods.
  };

  void Select(const Manifests& manifests);
  void CheckCount(const Item& item);
  void MakeSurroundings();
  Result<void> PutAll(std::span<const Item> items, std::optional<Duration> runs);
  void Put(const Item& item, std::optional<Duration> runs);
  server::Outcome<void> Create(const Item& item, server::Json object);
  void NoteOddities(const Item& item);
  void Report(const Item& item, const server::StatusError& error);

  World& world_;
  const bool takes_cron_jobs_;
  int64_t pods_max_ = kPodsMax;
  std::function<Result<void>()> pause_;   // Null: it goes on at once.
  std::vector<Item> items_;               // That are being loaded.
  std::unordered_set<std::string> uids_;  // Of pods from a cluster.
  int64_t pods_ = 0;                      // That are asked for.
  std::vector<std::string> errors_;
  std::vector<std::string> notes_;
  std::map<std::string, size_t> skipped_;  // Kinds that scheduling does not read, and how many of each.
  std::vector<std::string> unknown_;       // What was left out of objects from a cluster: Manifest::problems.
};

// Whether objects of this kind matter: the scheduler reads them, or they make pods or claims.
bool IsRead(std::string_view kind);

// The latest time that the pods mention.
Time LatestTime(const Manifests& manifests);

// The pod, or those that are made from the template of the object, end after this time.
void SetRuns(server::Json& object, Duration runs);

}  // namespace berth::world
