// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/node_affinity.h"

#include <algorithm>
#include <iterator>

namespace berth::plugins {

using framework::Status;
using framework::StatusCode;

struct NodeAffinity::State : framework::PluginState {
  State(const std::optional<RequiredNodeAffinity>& added_required, const api::PodSpec& spec,
        const cluster::NodeTable& nodes)
      : required(RequiredNodeAffinity(spec), nodes) {
    if (added_required) added.emplace(*added_required, nodes);
  }

  std::optional<NodeAffinityMatches> added;
  NodeAffinityMatches required;
  std::optional<PreferredNodeTerms> preferred;  // Absent before PreScore.
};

namespace {

const api::NodeAffinity* AffinityOf(const api::PodSpec& spec) {
  return spec.affinity && spec.affinity->node_affinity ? &*spec.affinity->node_affinity : nullptr;
}

// The node names that a term admits by metadata.name, sorted; absent if it does not ask for names.
std::optional<std::vector<std::string>> NamesOfTerm(const api::NodeSelectorTerm& term) {
  std::optional<std::vector<std::string>> names;
  for (const auto& [key, op, written] : term.match_fields) {
    if (key != "metadata.name" || op != "In") continue;
    std::vector<std::string> values = written;
    std::sort(values.begin(), values.end());
    if (names) {
      std::vector<std::string> both;
      std::set_intersection(names->begin(), names->end(), values.begin(), values.end(), std::back_inserter(both));
      values = std::move(both);
    }
    names = std::move(values);
  }
  return names;
}

// The only node names that can match, sorted and unique; absent if some term admits nodes of any name.
std::optional<std::vector<std::string>> NamesOfSelector(const api::NodeSelector& selector) {
  if (selector.terms.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const api::NodeSelectorTerm& term : selector.terms) {
    const std::optional<std::vector<std::string>> of_term = NamesOfTerm(term);
    if (!of_term) return std::nullopt;
    names.insert(names.end(), of_term->begin(), of_term->end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

void NodeAffinity::Args::Decoded(api::Value written) {
  if (!added_affinity) return;
  for (const std::string& error : framework::AffinitySelectorErrors(*added_affinity, written["addedAffinity"])) {
    selector_errors.push_back(".addedAffinity" + error);
  }
}

void NodeAffinity::Args::Validate(const framework::ArgsCheck& check) const {
  for (const std::string& error : selector_errors) {
    check.errors.Add(check.path.empty() ? error.substr(1) : check.path + error);
  }
}

Result<std::unique_ptr<framework::Plugin>> NodeAffinity::Create(const framework::PluginContext& context) {
  auto plugin = std::make_unique<NodeAffinity>();
  const auto* args = context.args.As<Args>();
  if (args != nullptr && args->added_affinity) BERTH_TRY(plugin->AddAffinity(*args->added_affinity));
  return plugin;
}

Result<void> NodeAffinity::AddAffinity(const api::NodeAffinity& added) {
  if (added.required) {
    const api::NodeSelectorMatcher matcher(*added.required);
    for (const api::NodeSelectorMatcher::Term& term : matcher.terms()) {
      if (term.error.empty()) continue;
      return Invalid("parsing addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: " + term.error);
    }
    added_required_.emplace(*added.required);
  }
  if (added.preferred && !added.preferred->empty()) {
    Result<PreferredNodeTerms> terms = PreferredNodeTerms::Compile(*added.preferred);
    if (!terms) {
      return Invalid("parsing addedAffinity.preferredDuringSchedulingIgnoredDuringExecution: " + terms.error().message);
    }
    added_preferred_ = std::move(*terms);
  }
  return {};
}

NodeAffinity::State& NodeAffinity::StateOf(framework::Cycle& cycle) const {
  State* state = cycle.state<State>(index());
  if (state != nullptr) return *state;
  return cycle.MakeState<State>(index(), added_required_, cycle.pod().spec(), cycle.nodes());
}

framework::PreFilterResult NodeAffinity::PreFilter(framework::Cycle& cycle) const {
  const api::PodSpec& spec = cycle.pod().spec();
  const api::NodeAffinity* affinity = AffinityOf(spec);
  const bool has_required = affinity != nullptr && affinity->required;
  if (!has_required && !added_required_ && !spec.node_selector) return {.status = Status::Skip()};
  if (!has_required) return {};
  std::optional<std::vector<std::string>> names = NamesOfSelector(*affinity->required);
  if (names && names->empty()) return {.status = Status::Unresolvable(std::string(kReasonConflict))};
  return {.status = {}, .node_names = std::move(names)};
}

void NodeAffinity::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  State& state = StateOf(cycle);
  if (state.added) {
    candidates.RejectIf(StatusCode::kUnschedulableAndUnresolvable, kReasonAdded,
                        [&](cluster::NodeSlot slot) { return !state.added->Matches(slot); });
  }
  if (state.required.matches_all()) return;
  candidates.RejectIf(StatusCode::kUnschedulableAndUnresolvable, kReasonPod,
                      [&](cluster::NodeSlot slot) { return !state.required.Matches(slot); });
}

Status NodeAffinity::PreScore(framework::Cycle& cycle, std::span<const cluster::NodeSlot>) const {
  const api::NodeAffinity* affinity = AffinityOf(cycle.pod().spec());
  const bool has_preferred = affinity != nullptr && affinity->preferred;
  if (!has_preferred && !added_preferred_) return Status::Skip();
  Result<PreferredNodeTerms> terms =
      has_preferred ? PreferredNodeTerms::Compile(*affinity->preferred) : PreferredNodeTerms();
  if (!terms) return Status::Error(terms.error().message);
  StateOf(cycle).preferred = std::move(*terms);
  return Status::Success();
}

Status NodeAffinity::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                           framework::Scores& scores) const {
  static const PreferredNodeTerms kNone;
  if (!StateOf(cycle).preferred) {
    // Where PreScore is turned off it is not run by the profile, but what it reads is needed all the same.
    Status status = PreScore(cycle, nodes);
    if (!status.ok() && !status.is_skip()) return status;
  }
  const State& state = StateOf(cycle);
  const PreferredNodeTerms& added = added_preferred_ ? *added_preferred_ : kNone;
  const PreferredNodeTerms& preferred = state.preferred ? *state.preferred : kNone;
  if (added.empty() && preferred.empty()) {
    scores.SetUniform(nodes.size(), 0);
    return Status::Success();
  }
  NodeMemo<int64_t> memo(cycle.nodes(), added.tells_nodes_apart() || preferred.tells_nodes_apart());
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    values[i] = memo.Get(nodes[i], [&](const api::Labels& labels, std::string_view node_name) {
      return added.Score(labels, node_name) + preferred.Score(labels, node_name);
    });
  }
  return Status::Success();
}

Status NodeAffinity::Normalize(framework::Cycle&, std::span<const cluster::NodeSlot>, framework::Scores& scores) const {
  framework::NormalizeToMax(scores, false);
  return Status::Success();
}

}  // namespace berth::plugins
