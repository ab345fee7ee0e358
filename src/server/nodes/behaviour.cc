// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/behaviour.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checksum.h"
#include "base/go_math.h"

namespace berth::server {
namespace {

// From 0, which it may be, to 1, which it is not.
double Share(Random& random) { return static_cast<double>(random.Next() >> 11) * 0x1p-53; }

int64_t RunsOf(const Json& pod) {
  int64_t runs = 0;
  for (const Json& status : pod["status"]["containerStatuses"].items()) runs += status["restartCount"].IntOr(0);
  return runs;
}

}  // namespace

Duration Spread::Draw(Random& random) const {
  if (mean > Duration{}) {
    // At most forty times the mean, so that nothing overflows.
    const double factor = -GoLog(1 - Share(random));
    return Duration{static_cast<int64_t>(std::min(factor, 40.0) * static_cast<double>(mean.nanos))};
  }
  if (max <= min) return min;
  return min + Duration{static_cast<int64_t>(random.Below(static_cast<uint64_t>((max - min).nanos) + 1))};
}

Random Behaviour::RandomFor(std::string_view what) const { return Random(seed ^ Fnv1a(what)); }

PodScript Behaviour::ScriptFor(const Json& pod, const api::Labels& labels) const {
  PodScript script;
  if (pods.empty()) return script;
  const auto found = std::ranges::find_if(pods, [&](const PodBehaviour& each) { return each.pods.Matches(labels); });
  if (found == pods.end()) return script;
  const Json& metadata = pod["metadata"];
  Random random =
      RandomFor(fmt::format("pod/{}/{}/{}", metadata["namespace"].text(), metadata["name"].text(), RunsOf(pod)));
  for (const auto& [span, spread] : found->parts) {
    script.*span = spread.Draw(random);
    if (span == &PodScript::terminate_after) script.is_stop_told = true;
  }
  script.fails = Share(random) < found->failure_rate;
  script.exit_code = script.fails && found->exit_code == 0 ? 1 : found->exit_code;
  if (!script.fails && found->failure_rate > 0) script.exit_code = 0;
  return script;
}

const std::vector<NodeFault>& Behaviour::FaultsOf(const api::Labels& labels) const {
  static const std::vector<NodeFault> kNone;
  const auto found = std::ranges::find_if(nodes, [&](const NodeBehaviour& each) { return each.nodes.Matches(labels); });
  return found == nodes.end() ? kNone : found->faults;
}

}  // namespace berth::server
