// SPDX-License-Identifier: Apache-2.0
// Behaviour: how pods and nodes of a simulated cluster behave, other than well: what files for `--behaviour` say.
//
// Everything follows from the seed and from the names of pods and nodes, so that the same cluster does the same again.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/parts/selector.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "server/nodes/pod_script.h"

namespace berth::server {

// A span of time that differs from case to case: evenly between two, or exponentially around a mean.
struct Spread {
  Duration min{};
  Duration max{};
  Duration mean{};  // Zero: between the two.

  Duration Draw(Random& random) const;
};

struct PodBehaviour {
  // A part of the script that is set.
  struct Part {
    Duration PodScript::* span;
    Spread spread;
  };
  api::Selector pods;  // By labels.
  std::vector<Part> parts = {};
  int64_t exit_code = 0;
  double failure_rate = 0;  // The share of ends that are failures.
};

// Something that befalls a node again and again.
struct NodeFault {
  enum class Kind : uint8_t { kNotReady, kSilent, kDiskPressure };
  Kind kind = Kind::kNotReady;
  Duration every{};
  Duration length{};
};

struct NodeBehaviour {
  api::Selector nodes;  // By labels.
  std::vector<NodeFault> faults = {};
};

struct Behaviour {
  uint64_t seed = 0;
  std::vector<PodBehaviour> pods = {};
  std::vector<NodeBehaviour> nodes = {};

  // What becomes of a pod by the first entry for its labels, in its present run: each start of its containers is one.
  // What it leaves open is as in no script.
  PodScript ScriptFor(const Json& pod, const api::Labels& labels) const;
  // By the first entry for the labels; none if there is no entry.
  const std::vector<NodeFault>& FaultsOf(const api::Labels& labels) const;
  // At random, by the seed and what it is drawn for.
  Random RandomFor(std::string_view what) const;
};

// Reads a behaviour from YAML or JSON; see docs/up.md. Errors name the place and what is expected there, with `line N:
// ` in front where it is known.
Result<Behaviour> ParseBehaviour(std::string_view text);

}  // namespace berth::server
