// SPDX-License-Identifier: Apache-2.0

#include "plugins/inter_pod_affinity/own_terms.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::plugins::interpod {
namespace {

void AddSelectedNamespaces(const api::Selector& selector, const Namespaces& namespaces,
                           std::vector<std::string>& names) {
  if (selector.matches_nothing()) return;
  for (const auto& [key, ns] : namespaces.all()) {
    if (selector.Matches(ns->meta.labels)) names.push_back(ns->meta.name);
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// Narrows `query` to pods that also match `other`.
void Intersect(cluster::PodQuery& query, cluster::PodQuery other) {
  std::ranges::move(other.selectors, std::back_inserter(query.selectors));
  if (other.all_namespaces) return;
  if (std::exchange(query.all_namespaces, false)) {
    query.namespaces = std::move(other.namespaces);
    return;
  }
  std::vector<std::string> common;
  std::ranges::set_intersection(query.namespaces, other.namespaces, std::back_inserter(common));
  query.namespaces = std::move(common);
}

}  // namespace

cluster::PodQuery MatchesTerm(const cluster::AffinityTerm& term, const Namespaces& namespaces) {
  cluster::PodQuery query;
  query.selectors = {term.selector};
  query.all_namespaces = term.namespace_selector.empty();
  if (query.all_namespaces) return query;
  query.namespaces = term.namespaces;
  AddSelectedNamespaces(term.namespace_selector, namespaces, query.namespaces);
  return query;
}

cluster::PodQuery MatchesAllTerms(const std::vector<cluster::AffinityTerm>& terms, const Namespaces& namespaces) {
  cluster::PodQuery query = MatchesTerm(terms.front(), namespaces);
  for (size_t i = 1; i < terms.size(); ++i) Intersect(query, MatchesTerm(terms[i], namespaces));
  return query;
}

}  // namespace berth::plugins::interpod
