// SPDX-License-Identifier: Apache-2.0
#include "framework/extender_sources.h"

namespace berth::framework {

api::KeptSources SourcesForExtenders(std::span<const ExtenderConfiguration> extenders) {
  api::KeptSources kept;
  for (const ExtenderConfiguration& extender : extenders) {
    const bool gets_nodes = !extender.filter_verb.empty() || !extender.prioritize_verb.empty();
    kept.pods = kept.pods || gets_nodes || !extender.preempt_verb.empty();
    kept.nodes = kept.nodes || (gets_nodes && !extender.node_cache_capable);
  }
  return kept;
}

}  // namespace berth::framework
