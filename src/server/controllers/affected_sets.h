// SPDX-License-Identifier: Apache-2.0
// AffectedSets: the sets of one kind that a change is about, each with its selector.
//
// These are the set itself, the one that controls the dependent that changed (a pod, or a ReplicaSet of Deployments),
// the one that did before, and all that select a dependent which nobody controls, as one of them shall take it over.
// Sets are also Jobs.
//
// Thread: that of the store. Cost: for a dependent that nobody controls, that of the selectors of its namespace.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "api/parts/selector.h"
#include "server/controllers/controller.h"

namespace berth::server {

class AffectedSets {
 public:
  // Of most sets a selector that is empty is a mistake, and selects nothing; otherwise it selects everything.
  enum class EmptySelector : uint8_t { kNothing, kEverything };

  AffectedSets(const Resource& sets, const Resource& dependents, EmptySelector empty = EmptySelector::kNothing)
      : sets_(sets), dependents_(dependents), empty_(empty) {}

  // Asks for a look at each of them; for a dependent after `settle`, as they change many at a time.
  void OnChange(const Change& change, Duration settle, const Controller::Enqueue& enqueue);
  // Null: there is no such set, or its selector cannot be read, or is empty by mistake.
  const api::Selector* SelectorOf(std::string_view key) const;

 private:
  void Learn(const Change& change);
  void EnqueueController(const Json& owners, std::string_view ns, Duration settle,
                         const Controller::Enqueue& enqueue) const;

  const Resource& sets_;
  const Resource& dependents_;
  const EmptySelector empty_;
  std::map<std::string, api::Selector, std::less<>> selectors_;  // By the key of their set.
};

}  // namespace berth::server
