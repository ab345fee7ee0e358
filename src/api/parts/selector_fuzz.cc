// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "api/decode/decode.h"
#include "base/assert.h"

using berth::api::Labels;
using berth::api::NodeSelectorMatcher;
using berth::api::Selector;

// The text is a label selector and a node affinity at once: each decoder takes the fields it knows.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto document = berth::api::ParseJson({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  const Labels labels = {{"app", "web"}, {"size", "10"}};
  if (const auto written = berth::api::DecodeLabelSelector(document->root(), "selector")) {
    if (const auto selector = Selector::Compile(*written)) {
      const bool matches = selector->Matches(labels);
      BERTH_ASSERT(!selector->empty() || matches);
      BERTH_ASSERT(selector->empty() == selector->requirements().empty() || selector->matches_nothing());
      BERTH_ASSERT(selector->requirements().empty() == selector->ToString().empty());
    }
  }
  const auto affinity = berth::api::DecodeNodeAffinity(document->root(), "affinity");
  if (affinity && affinity->required) {
    const NodeSelectorMatcher matcher(*affinity->required);
    const auto match = matcher.Match(labels, "n1");
    BERTH_ASSERT(matcher.Matches(labels, "n1") == (match && *match));
  }
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"({"matchLabels":{"app":"web","a/b":""},"matchExpressions":[{"key":"app","operator":"In","values":["web","x"]}]})",
    R"({"matchExpressions":[{"key":"x","operator":"NotIn","values":["a"]},{"key":"y","operator":"Exists"}]})",
    R"({"matchExpressions":[{"key":"x/","operator":"DoesNotExist","values":["-"]}]})",
    R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":)"
    R"([{"key":"size","operator":"Gt","values":["9"]}],"matchFields":)"
    R"([{"key":"metadata.name","operator":"In","values":["n1"]}]},{}]}})",
    nullptr,
};
