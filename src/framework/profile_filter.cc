// SPDX-License-Identifier: Apache-2.0
// How a profile filters nodes.
//
// Where pods of equal or higher priority are nominated to a node, the pod must fit both with them and without them:
// they may come, and pods that affinity asks for may not.

#include <fmt/format.h>

#include <algorithm>

#include "framework/profile.h"

namespace berth::framework {
namespace {

// Pods nominated to a node that `pod` must give way to.
std::vector<cluster::PodPtr> Rivals(const std::vector<cluster::PodPtr>& nominated, const cluster::PodInfo& pod) {
  std::vector<cluster::PodPtr> rivals;
  for (const cluster::PodPtr& other : nominated) {
    if (other->priority() >= pod.priority() && other->uid != pod.uid) rivals.push_back(other);
  }
  return rivals;
}

// What all filters together say of a node: unresolvable if one of them says so, which is then to blame.
struct Rejection {
  StatusCode code = StatusCode::kSuccess;
  uint8_t plugin = kNoPlugin;
  std::vector<std::string> reasons;

  void Add(const Verdict& verdict, const ReasonTable& table) {
    if (verdict.code == StatusCode::kSuccess) return;
    if (Severity(verdict.code) > Severity(code)) {
      code = verdict.code;
      plugin = verdict.plugin;
    }
    reasons.insert(reasons.end(), table.reasons(verdict.reason).begin(), table.reasons(verdict.reason).end());
  }

  static int Severity(StatusCode of) {
    if (of == StatusCode::kSuccess) return 0;
    return of == StatusCode::kUnschedulableAndUnresolvable ? 2 : 1;
  }
};

// The candidates' verdict on their single node, as a status.
Status SingleStatus(const Candidates& candidates, NodeSlot node, const Profile& profile) {
  if (!candidates.error().ok()) return candidates.error();
  const Verdict& verdict = candidates.verdict(node);
  if (verdict.code == StatusCode::kSuccess) return Status::Success();
  return {verdict.code, candidates.reasons().reasons(verdict.reason),
          std::string(profile.plugin(verdict.plugin).name())};
}

}  // namespace

bool Profile::RunFilter(const FilterEntry& entry, Cycle& cycle, Candidates& candidates) const {
  const auto& [plugin, point] = entry.at;
  candidates.set_plugin(static_cast<uint8_t>(plugin->index()));
  const size_t asked = candidates.nodes().size();
  const Moment since = observer_ == nullptr ? Moment() : observer_->StartPlugin();
  if (entry.error.empty()) {
    point->Filter(cycle, candidates);
  } else {
    candidates.SetError(Status::Error(std::string(entry.error)));
  }
  if (observer_ != nullptr) {
    observer_->PluginRan(*this, *plugin, RunPoint::kFilter, candidates.error().code, asked, since);
  }
  if (candidates.error().ok()) return true;
  candidates.WrapError(fmt::format("running \"{}\" filter plugin: ", plugin->name()), std::string(plugin->name()));
  return false;
}

void Profile::RunFiltersOnce(Cycle& cycle, Candidates& candidates) const {
  if (run_all_filters_) return RunAllFiltersOnce(cycle, candidates);
  for (const FilterEntry& entry : filter_) {
    if (candidates.empty()) return;
    if (cycle.skip_filter()[entry.at.plugin->index()]) continue;
    if (!RunFilter(entry, cycle, candidates)) return;
  }
}

void Profile::RunAllFiltersOnce(Cycle& cycle, Candidates& candidates) const {
  if (candidates.empty()) return;
  const std::vector<NodeSlot> nodes(candidates.nodes().begin(), candidates.nodes().end());
  std::vector<Rejection> rejections(nodes.size());
  for (const FilterEntry& entry : filter_) {
    if (cycle.skip_filter()[entry.at.plugin->index()]) continue;
    candidates.Restart(nodes);
    if (!RunFilter(entry, cycle, candidates)) return;
    for (size_t i = 0; i < nodes.size(); ++i) rejections[i].Add(candidates.verdict(nodes[i]), candidates.reasons());
  }
  candidates.Restart(nodes);
  size_t next = 0;
  candidates.RejectEach([&](NodeSlot) -> Verdict {
    const Rejection& rejection = rejections[next++];
    if (rejection.code == StatusCode::kSuccess) return {};
    candidates.set_plugin(rejection.plugin);
    return {.code = rejection.code, .reason = candidates.reasons().Intern(rejection.reasons)};
  });
}

Status Profile::RunFiltersOnNode(Cycle& cycle, NodeSlot node) const {
  Candidates& single = cycle.scratch();
  const auto run = [&] {
    single.Reset(std::span(&node, 1), cycle.nodes().slot_limit());
    RunFiltersOnce(cycle, single);
    return SingleStatus(single, node, *this);
  };
  const std::vector<cluster::PodPtr> rivals =
      Rivals(cycle.cluster().nominated.OnNode(cycle.nodes().name[node.index]), cycle.pod());
  if (!rivals.empty()) {
    NodeTrial trial(*this, cycle, node);
    for (const cluster::PodPtr& rival : rivals) {
      Status added = trial.Add(rival);
      if (!added.ok()) return added;
    }
    Status status = run();
    if (!status.ok()) return status;
  }
  return run();
}

void Profile::RunFilters(Cycle& cycle, Candidates& candidates) const {
  (void)Observe(RunPoint::kFilter, [&] {
    Filter(cycle, candidates);
    return Status{candidates.error().ok() ? StatusCode::kSuccess : StatusCode::kError, {}, {}};
  });
}

void Profile::Filter(Cycle& cycle, Candidates& candidates) const {
  std::vector<NodeSlot> contested;
  for (const auto& [name, pods] : cycle.cluster().nominated.by_node()) {
    NodeSlot slot;
    if (!Rivals(pods, cycle.pod()).empty() && cycle.nodes().Find(name, slot)) contested.push_back(slot);
  }
  if (!contested.empty()) {
    std::ranges::sort(contested);
    candidates.RejectEach([&](NodeSlot slot) -> Verdict {
      if (!std::ranges::binary_search(contested, slot)) return {};
      const Status status = RunFiltersOnNode(cycle, slot);
      if (status.ok()) return {};
      if (!status.is_rejected()) candidates.SetError(status);
      const Plugin* plugin = Find(status.plugin);
      candidates.set_plugin(plugin == nullptr ? kNoPlugin : static_cast<uint8_t>(plugin->index()));
      return {.code = status.code, .reason = candidates.reasons().Intern(status.reasons)};
    });
    if (!candidates.error().ok()) return;
  }
  RunFiltersOnce(cycle, candidates);
}

}  // namespace berth::framework
