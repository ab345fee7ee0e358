// SPDX-License-Identifier: Apache-2.0

#include "cluster/affinity_index.h"

#include <algorithm>
#include <span>

#include "base/assert.h"

namespace berth::cluster {
namespace {

void AppendPart(std::string& text, std::string_view part) { ((text += std::to_string(part.size())) += ':') += part; }

std::string SelectorText(const api::Selector& selector) {
  return selector.matches_nothing() ? "!" : "=" + selector.ToString();
}

// Equal terms of the same kind have the same text, and no others.
std::string TermText(TermKind kind, const AffinityTerm& term) {
  std::string text = std::to_string(static_cast<int>(kind)) + " " + std::to_string(term.weight) + " ";
  AppendPart(text, term.topology_key);
  AppendPart(text, SelectorText(term.selector));
  AppendPart(text, SelectorText(term.namespace_selector));
  for (const std::string& ns : term.namespaces) AppendPart(text, ns);
  return text;
}

void ForEachTermOf(const PodTemplate& pod_template, auto visit) {
  const auto list = [&](TermKind kind, const std::vector<AffinityTerm>& terms) {
    for (const AffinityTerm& term : terms) visit(kind, term);
  };
  list(TermKind::kRequiredAffinity, pod_template.required_affinity);
  list(TermKind::kRequiredAntiAffinity, pod_template.required_anti_affinity);
  list(TermKind::kPreferredAffinity, pod_template.preferred_affinity);
  list(TermKind::kPreferredAntiAffinity, pod_template.preferred_anti_affinity);
}

// A selector of namespaces may select any of them.
SelectorReach ReachOf(const AffinityTerm& term) {
  return {.namespaces = term.namespaces,
          .all_namespaces = !term.namespace_selector.matches_nothing(),
          .selectors = std::span(&term.selector, 1)};
}

}  // namespace

void AffinityIndex::PodAdded(NodeSlot slot, const PodInfo& pod) {
  if (!pod.pod_template->has_affinity()) return;
  Group& group = groups_[pod.pod_template->id];
  if (group.pod_template == nullptr) {
    group.pod_template = pod.pod_template;
    AddTerms(group);
  }
  group.pods.Change(slot.index, 1);
  Count(group, slot, 1);
}

void AffinityIndex::PodRemoved(NodeSlot slot, const PodInfo& pod) {
  if (!pod.pod_template->has_affinity()) return;
  Group* group = groups_.Edit(pod.pod_template->id);
  BERTH_ASSERT(group != nullptr);
  group->pods.Change(slot.index, -1);
  Count(*group, slot, -1);
  if (group->pods.total() != 0) return;
  RemoveTerms(*group);
  groups_.Erase(pod.pod_template->id);
}

void AffinityIndex::Count(const Group& group, NodeSlot slot, int32_t sign) {
  if (counted_.empty()) return;
  for (const TermId id : group.terms) {
    if (const auto it = counted_.find(id); it != counted_.end()) it->second->Change(slot, sign);
  }
}

void AffinityIndex::AddTerms(Group& group) {
  ForEachTermOf(*group.pod_template, [&](TermKind kind, const AffinityTerm& written) {
    TermId& id = by_text_[TermText(kind, written)];
    const bool is_new = id == 0;
    if (is_new) id = next_term_++;
    group.terms.push_back(id);
    Term& term = terms_[id];
    if (is_new) {
      term.kind = kind;
      term.term = std::make_shared<const AffinityTerm>(written);
      term.place = by_selector_.Add(ReachOf(written), id);
    }
    const uint64_t template_id = group.pod_template->id;
    term.templates.insert(std::ranges::lower_bound(term.templates, template_id), template_id);
  });
}

void AffinityIndex::RemoveTerms(const Group& group) {
  for (const TermId id : group.terms) {
    Term& term = *terms_.Edit(id);
    term.templates.erase(std::ranges::lower_bound(term.templates, group.pod_template->id));
    if (!term.templates.empty()) continue;
    by_text_.Erase(TermText(term.kind, *term.term));
    by_selector_.Remove(term.place, id);
    counted_.erase(id);
    terms_.Erase(id);
  }
}

std::shared_ptr<const NodeCounts> AffinityIndex::PodsWith(TermId id) const {
  std::shared_ptr<NodeCounts>& counts = counted_[id];
  if (counts != nullptr) return counts;
  counts = std::make_shared<NodeCounts>();
  for (const uint64_t template_id : terms_.Find(id)->templates) {
    groups_.Find(template_id)->pods.ForEach([&](uint32_t slot, int32_t count) {
      counts->Change(NodeSlot{slot}, count);
    });
  }
  return counts;
}

void AffinityIndex::AppendSizes(TableSizes& sizes) const {
  size_t bytes = 0;
  for (const auto& [id, counts] : counted_) bytes += sizeof(*counts) + counts->bytes();
  sizes.insert(sizes.end(), {{"pod templates with affinity", groups_.size()},
                             {"affinity terms", terms_.size()},
                             {"pod counters of terms", counted_.size()},
                             {"pod counters of terms bytes", bytes}});
}

}  // namespace berth::cluster
