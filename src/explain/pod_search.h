// SPDX-License-Identifier: Apache-2.0
// PodSearch: pods by words in their names, their labels or their owners' names.
//
// Thread: core. Cost: a look at every pod; what pods of a kind share is looked at once.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/document/json_tree.h"
#include "base/result.h"
#include "explain/pacer.h"
#include "scheduler/core.h"

namespace berth::explain {

inline constexpr size_t kWordsBytesMax = 1'000;
inline constexpr int64_t kFoundPodsMax = 1'000;

struct PodSearch {
  std::string words;  // With blanks between; a pod is found if it has all of them, in upper or lower case.
  int64_t limit = 100;
};
// {"words": "app=web", "limit": 100}
Result<PodSearch> ParsePodSearch(const api::Json& body);
api::Json ToJson(const PodSearch& search);

struct FoundPods {
  struct Pod {
    std::string ns, name;
    std::string owner;  // Kind and name of its controller; empty: none.
    std::string node;   // Empty: it waits.
  };
  size_t count = 0;
  std::vector<Pod> pods;                // The first by namespace and name.
  std::map<std::string, size_t> nodes;  // Pods by node.
};
Result<FoundPods> FindPods(const scheduler::Core& core, const PodSearch& search, Pacer& pacer);
api::Json ToJson(const FoundPods& found);

}  // namespace berth::explain
