// SPDX-License-Identifier: Apache-2.0
// AffinityIndex: the pod affinity and anti-affinity terms that pods on nodes carry, found by the pods they select.
//
// Pods are grouped by template, and equal terms of all templates are one. So an incoming pod meets each distinct term
// that can match it once, whoever carries it, and no others (SelectorIndex). Where the pods with a term are is counted
// when it is first asked for, and follows the pods until nobody carries the term any more.
//
// Thread: core. Copies share what they do not change; what is counted they count anew. Cost: by term of the pod that
// comes or goes; room by distinct terms and by where they are.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/node_counts.h"
#include "cluster/pod_info.h"
#include "cluster/selector_index.h"
#include "cluster/tables/chunked_map.h"
#include "cluster/tables/sharded_map.h"
#include "cluster/tables/string_map.h"
#include "cluster/tables/table_size.h"

namespace berth::cluster {

// The lists of terms of a template.
enum class TermKind : uint8_t { kRequiredAffinity, kRequiredAntiAffinity, kPreferredAffinity, kPreferredAntiAffinity };

class AffinityIndex {
 public:
  using TermId = uint64_t;  // Grows, never reused.

  // Pods with terms that have one template.
  struct Group {
    PodTemplatePtr pod_template;
    Counts pods;                // By slot.
    std::vector<TermId> terms;  // One for each that the template lists.
  };
  // A term that pods on nodes carry.
  struct Term {
    TermKind kind = TermKind::kRequiredAffinity;
    std::shared_ptr<const AffinityTerm> term;
    std::vector<uint64_t> templates;  // Ids, sorted; one that lists the term twice is there twice.
    SelectorPlace place;
  };

  AffinityIndex() = default;
  AffinityIndex(const AffinityIndex& other)
      : groups_(other.groups_),
        terms_(other.terms_),
        by_text_(other.by_text_),
        by_selector_(other.by_selector_),
        next_term_(other.next_term_) {}
  AffinityIndex& operator=(const AffinityIndex&) = delete;

  // Templates with any term, in order of template id (that is, of first appearance).
  const ChunkedMap<uint64_t, Group>& groups() const { return groups_; }
  const ChunkedMap<TermId, Term>& terms() const { return terms_; }

  // Calls `visit(id, const Term&)` for every term that can match the pod, in no particular order. Whether it does is
  // still to be asked.
  void ForEachTerm(const PodInfo& pod, auto visit) const {
    by_selector_.ForEach(pod.ns(), pod.labels(), [&](TermId id) { visit(id, *terms_.Find(id)); });
  }
  // Where the pods with this term are; one that lists it twice counts twice. REQUIRES: there is such a term.
  std::shared_ptr<const NodeCounts> PodsWith(TermId id) const;

  void PodAdded(NodeSlot slot, const PodInfo& pod);
  void PodRemoved(NodeSlot slot, const PodInfo& pod);

  void AppendSizes(TableSizes& sizes) const;

 private:
  void AddTerms(Group& group);
  void RemoveTerms(const Group& group);
  void Count(const Group& group, NodeSlot slot, int32_t sign);

  ChunkedMap<uint64_t, Group> groups_;  // By template id.
  ChunkedMap<TermId, Term> terms_;
  ShardedMap<StringMap<TermId>> by_text_;
  SelectorIndex<TermId> by_selector_;
  TermId next_term_ = 1;
  mutable boost::unordered_flat_map<TermId, std::shared_ptr<NodeCounts>> counted_;
};

}  // namespace berth::cluster
