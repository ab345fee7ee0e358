// SPDX-License-Identifier: Apache-2.0
// Reports: what a finished simulation looks like to the user.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/document/json_writer.h"
#include "app/simulate/run/simulation.h"

namespace berth::simulate {

struct Summary {
  size_t running = 0;        // On nodes from the beginning to the end.
  size_t pending = 0;        // Everything that was to be scheduled, replacements of evicted pods included.
  size_t scheduled = 0;      // Of these: on a node at the end.
  size_t unschedulable = 0;  // Of these: no node, or an error.
  size_t gated = 0;
  size_t ignored = 0;
  size_t evicted = 0;  // Pods that lost their node.
};
Summary SummarizeFates(const History& history);

// Which pods were made in the place of others.
class Replacements {
 public:
  explicit Replacements(const History& history) {
    for (const PodLife& life : history.pods) made_.try_emplace(life.replaces, life.full_name());
  }
  // "namespace/name"; empty: none yet.
  std::string_view Of(std::string_view pod) const {
    const auto it = made_.find(pod);
    return it == made_.end() ? std::string_view() : it->second;
  }

 private:
  std::map<std::string, std::string, std::less<>> made_;
};

// What became of a pod, for those who do not ask when.
enum class Fate : uint8_t {
  kRunning,        // Was on its node from the beginning.
  kScheduled,      // Got a node.
  kUnschedulable,  // Fits nowhere.
  kError,          // The scheduler or a plugin failed.
  kGated,          // Is held back by a scheduling gate or another plugin.
  kIgnored,        // Belongs to another scheduler, or is being deleted.
  kEvicted,        // Was on a node and had to go.
};
Fate FateOf(const PodLife& life);
std::string_view FateName(Fate fate);

// For people: pods, reasons, evictions, nodes, one line of summary. With explanations if the simulation has them.
std::string TableReport(const Simulation& simulation);
// What does not fit and the last line, without the tables.
std::string SummaryReport(const Simulation& simulation);

// For programs.
std::string JsonReport(const Simulation& simulation);
std::string YamlReport(const Simulation& simulation);

}  // namespace berth::simulate
