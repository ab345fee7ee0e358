// SPDX-License-Identifier: Apache-2.0
// The affinity terms of the pod being scheduled, as questions to the cluster's pod counters.
//
// A namespace selector is replaced by the names of the namespaces it selects now; one that selects every namespace
// stays open, also for namespaces that are not known.

#pragma once

#include <vector>

#include "cluster/cluster.h"

namespace berth::plugins::interpod {

using Namespaces = cluster::ObjectStore<api::Namespace>;

// The pods that match `term`.
cluster::PodQuery MatchesTerm(const cluster::AffinityTerm& term, const Namespaces& namespaces);

// The pods that match every one of `terms`. REQUIRES: there is a term.
cluster::PodQuery MatchesAllTerms(const std::vector<cluster::AffinityTerm>& terms, const Namespaces& namespaces);

}  // namespace berth::plugins::interpod
