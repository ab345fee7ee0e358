// SPDX-License-Identifier: Apache-2.0

#include "cluster/affinity_terms.h"

#include <algorithm>

#include "base/error_counts.h"

namespace berth::cluster {
namespace {

Result<AffinityTerm> Compile(const std::string& ns, const api::PodAffinityTerm& written, int32_t weight) {
  AffinityTerm term;
  term.topology_key = written.topology_key;
  term.namespaces = written.namespaces;
  term.selector = BERTH_TRY(api::Selector::Compile(written.label_selector));
  term.namespace_selector = BERTH_TRY(api::Selector::Compile(written.namespace_selector));
  term.weight = weight;
  if (written.namespaces.empty() && !written.namespace_selector) term.namespaces.push_back(ns);
  std::ranges::sort(term.namespaces);
  const auto repeated = std::ranges::unique(term.namespaces);
  term.namespaces.erase(repeated.begin(), repeated.end());
  return term;
}

Result<AffinityTerm> Compile(const std::string& ns, const api::PodAffinityTerm& written) {
  return Compile(ns, written, 0);
}

Result<AffinityTerm> Compile(const std::string& ns, const api::WeightedPodAffinityTerm& written) {
  return Compile(ns, written.term, written.weight);
}

// Compiles whole lists and collects why some did not compile.
class Compiler {
 public:
  explicit Compiler(const std::string& ns) : ns_(ns) {}

  template <class Written>
  std::vector<AffinityTerm> List(const char* name, const std::vector<Written>& written) {
    std::vector<AffinityTerm> terms;
    for (const Written& one : written) {
      Result<AffinityTerm> term = Compile(ns_, one);
      if (!term) {
        errors_.push_back(std::string(name) + ": " + term.error().message);
        return {};
      }
      terms.push_back(*std::move(term));
    }
    return terms;
  }

  std::string Error() const { return JoinErrors(errors_); }

 private:
  const std::string& ns_;
  std::vector<std::string> errors_;
};

}  // namespace

void CompileAffinityTerms(PodTemplate& pod_template) {
  if (!pod_template.spec.affinity) return;
  static const api::PodAffinity kNone;
  const api::Affinity& written = *pod_template.spec.affinity;
  const api::PodAffinity& affinity = written.pod_affinity ? *written.pod_affinity : kNone;
  const api::PodAffinity& anti_affinity = written.pod_anti_affinity ? *written.pod_anti_affinity : kNone;

  Compiler compiler(pod_template.ns);
  pod_template.required_affinity = compiler.List("requiredAffinityTerms", affinity.required);
  pod_template.required_anti_affinity = compiler.List("requiredAntiAffinityTerms", anti_affinity.required);
  pod_template.preferred_affinity = compiler.List("preferredAffinityTerms", affinity.preferred);
  pod_template.preferred_anti_affinity = compiler.List("preferredAntiAffinityTerms", anti_affinity.preferred);
  pod_template.affinity_error = compiler.Error();
}

}  // namespace berth::cluster
