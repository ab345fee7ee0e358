// SPDX-License-Identifier: Apache-2.0
// PreferredNodeTerms: the preferred terms of a node affinity, compiled.
//
// A node scores the sum of the weights of the terms that match it. Terms without weight and empty terms do not count.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "api/objects/pod.h"
#include "api/parts/selector.h"
#include "base/result.h"

namespace berth::plugins {

class PreferredNodeTerms {
 public:
  // Fails with upstream's text when a term that counts does not compile.
  static Result<PreferredNodeTerms> Compile(const std::vector<api::PreferredSchedulingTerm>& written);

  bool empty() const { return terms_.empty(); }
  int64_t Score(const api::Labels& labels, std::string_view node_name) const;
  // The score needs a node's name or hostname label: two nodes with the same label set may differ.
  bool tells_nodes_apart() const;

 private:
  struct Term {
    int64_t weight = 0;
    api::NodeTerm term;
  };
  std::vector<Term> terms_;
};

}  // namespace berth::plugins
