// SPDX-License-Identifier: Apache-2.0
#include "framework/profile.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::framework {
namespace {

// Turns a plugin's answer that is neither success nor rejection into an internal error. One that names its plugin is
// worded already.
Status InternalError(std::string_view what, const Plugin& plugin, const Status& status) {
  if (!status.plugin.empty()) return status;
  Status error = Status::Error(fmt::format("{} plugin \"{}\": {}", what, plugin.name(), status.message()));
  error.plugin = plugin.name();
  return error;
}

Status Blame(Status status, const Plugin& plugin) {
  status.plugin = plugin.name();
  return status;
}

std::vector<std::string> Intersect(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

Status NoCommonNode(const std::vector<std::string>& plugins) {
  if (plugins.size() == 1) return Status::Unresolvable(fmt::format("node(s) didn't satisfy plugin {}", plugins[0]));
  return Status::Unresolvable(
      fmt::format("node(s) didn't satisfy plugin(s) [{}] simultaneously", fmt::join(plugins, " ")));
}

}  // namespace

const Plugin* Profile::Find(std::string_view name) const {
  const auto it = std::ranges::find_if(plugins_, [&](const auto& plugin) { return plugin->name() == name; });
  return it == plugins_.end() ? nullptr : it->get();
}

Status Profile::RunPreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster,
                              const Plugin* ask_first) const {
  const auto ask = [&](const At<PreEnqueuePlugin>& at) {
    Status asked =
        ObservePlugin(*at.plugin, RunPoint::kPreEnqueue, 1, [&] { return at.point->PreEnqueue(pod, cluster); });
    return asked.ok() ? Status::Success() : Blame(std::move(asked), *at.plugin);
  };
  const Moment since = observer_ == nullptr ? Moment() : observer_->Start();
  Status status;
  for (const auto& at : pre_enqueue_) {
    if (at.plugin == ask_first) status = ask(at);
  }
  for (size_t i = 0; i < pre_enqueue_.size() && status.ok(); ++i) {
    if (pre_enqueue_[i].plugin != ask_first) status = ask(pre_enqueue_[i]);
  }
  // As upstream has it, a gated pod does not make the run a failure.
  if (observer_ != nullptr) observer_->PointRan(*this, RunPoint::kPreEnqueue, StatusCode::kSuccess, since);
  return status;
}

PreFilterOutcome Profile::RunPreFilter(Cycle& cycle) const {
  return Observe(RunPoint::kPreFilter, [&] { return PreFilter(cycle); });
}

PreFilterOutcome Profile::PreFilter(Cycle& cycle) const {
  PreFilterOutcome outcome;
  const auto skips = [&](const Plugin& plugin) { return cycle.pod().awaits_resize && plugin.skips_resizes(); };
  for (const auto& plugin : plugins_) {
    if (skips(*plugin)) cycle.skip_filter()[plugin->index()] = 1;
  }
  for (const auto& [plugin, point] : pre_filter_) {
    if (skips(*plugin)) continue;
    const auto& run = *point;
    PreFilterResult result = ObservePlugin(*plugin, RunPoint::kPreFilter, 1, [&] { return run.PreFilter(cycle); });
    if (result.status.is_skip()) {
      cycle.skip_filter()[plugin->index()] = 1;
      continue;
    }
    if (result.status.code == StatusCode::kUnschedulableAndUnresolvable) {
      return {Blame(std::move(result.status), *plugin), std::nullopt, {}};
    }
    if (result.status.code == StatusCode::kUnschedulable) {
      // Preemption may help, and it needs the state of every plugin: go on.
      outcome.status = Blame(std::move(result.status), *plugin);
      continue;
    }
    if (!result.status.ok()) return {InternalError("running PreFilter", *plugin, result.status), std::nullopt, {}};
    if (!result.node_names) continue;
    outcome.narrowing_plugins.emplace_back(plugin->name());
    std::ranges::sort(outcome.narrowing_plugins);
    outcome.node_names =
        outcome.node_names ? Intersect(*outcome.node_names, *result.node_names) : std::move(*result.node_names);
    if (outcome.node_names->empty()) {
      outcome.status = NoCommonNode(outcome.narrowing_plugins);
      return outcome;
    }
  }
  return outcome;
}

Status Profile::RunAddPod(Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const {
  for (const auto& [plugin, point] : pre_filter_) {
    if (!point->has_extensions() || cycle.skip_filter()[plugin->index()]) continue;
    const auto& run = *point;
    const Status status = ObservePlugin(*plugin, RunPoint::kAddPod, 1, [&] { return run.AddPod(cycle, pod, node); });
    if (!status.ok()) return InternalError("running AddPod on PreFilter", *plugin, status);
  }
  return Status::Success();
}

Status Profile::RunRemovePod(Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const {
  for (const auto& [plugin, point] : pre_filter_) {
    if (!point->has_extensions() || cycle.skip_filter()[plugin->index()]) continue;
    const auto& run = *point;
    const Status status =
        ObservePlugin(*plugin, RunPoint::kRemovePod, 1, [&] { return run.RemovePod(cycle, pod, node); });
    if (!status.ok()) return InternalError("running RemovePod on PreFilter", *plugin, status);
  }
  return Status::Success();
}

PostFilterResult Profile::RunPostFilter(Cycle& cycle, const Diagnosis& diagnosis, Effects& effects) const {
  return Observe(RunPoint::kPostFilter, [&] { return PostFilter(cycle, diagnosis, effects); });
}

PostFilterResult Profile::PostFilter(Cycle& cycle, const Diagnosis& diagnosis, Effects& effects) const {
  PostFilterResult combined;
  combined.status.code = StatusCode::kUnschedulable;
  for (const auto& [plugin, point] : post_filter_) {
    const auto& run = *point;
    PostFilterResult result = ObservePlugin(*plugin, RunPoint::kPostFilter, 1,
                                            [&] { return run.PostFilter(cycle, *this, diagnosis, effects); });
    if (result.status.ok()) return result;
    if (result.status.code == StatusCode::kUnschedulableAndUnresolvable) {
      result.status.plugin = plugin->name();
      return result;
    }
    if (!result.status.is_rejected()) {
      result.status.code = StatusCode::kError;
      return {Blame(std::move(result.status), *plugin)};
    }
    if (result.nominated_node_name) combined.nominated_node_name = std::move(result.nominated_node_name);
    for (std::string& reason : result.status.reasons) combined.status.reasons.push_back(std::move(reason));
    if (combined.status.plugin.empty()) combined.status.plugin = plugin->name();
  }
  return combined;
}

Status Profile::RunReserve(Cycle& cycle, NodeSlot node, Effects& effects) const {
  Status status = Observe(RunPoint::kReserve, [&] { return Reserve(cycle, node); });
  if (!status.ok()) RunUnreserve(cycle, node, effects);
  return status;
}

Status Profile::Reserve(Cycle& cycle, NodeSlot node) const {
  for (const auto& [plugin, point] : reserve_) {
    const auto& run = *point;
    Status status = ObservePlugin(*plugin, RunPoint::kReserve, 1, [&] { return run.Reserve(cycle, node); });
    if (status.ok()) continue;
    if (status.is_rejected()) return Blame(std::move(status), *plugin);
    return InternalError("running Reserve", *plugin, status);
  }
  return Status::Success();
}

void Profile::RunUnreserve(Cycle& cycle, NodeSlot node, Effects& effects) const {
  (void)Observe(RunPoint::kUnreserve, [&] {
    for (auto it = reserve_.rbegin(); it != reserve_.rend(); ++it) {
      (void)ObservePlugin(*it->plugin, RunPoint::kUnreserve, 1,
                          [&] { return it->point->Unreserve(cycle, node, effects), Status::Success(); });
    }
    return Status::Success();
  });
}

void Profile::DropDecisionStates(Cycle& cycle) const {
  std::vector<uint8_t> binds(plugins_.size());
  const auto mark = [&](const auto& points) {
    for (const auto& at : points) binds[at.plugin->index()] = 1;
  };
  mark(reserve_);
  mark(permit_);
  mark(pre_bind_);
  mark(bind_);
  mark(post_bind_);
  for (size_t i = 0; i < binds.size(); ++i) {
    if (binds[i] == 0) cycle.DropState(i);
  }
}

Profile::PermitOutcome Profile::RunPermit(Cycle& cycle, NodeSlot node) const {
  return Observe(RunPoint::kPermit, [&] { return Permit(cycle, node); });
}

Profile::PermitOutcome Profile::Permit(Cycle& cycle, NodeSlot node) const {
  constexpr Duration kMaxWait{int64_t{15} * 60 * 1'000'000'000};
  PermitOutcome outcome;
  for (const auto& [plugin, point] : permit_) {
    const auto& run = *point;
    PermitResult result = ObservePlugin(*plugin, RunPoint::kPermit, 1, [&] { return run.Permit(cycle, node); });
    if (result.status.ok()) continue;
    if (result.status.is_rejected()) return {Blame(std::move(result.status), *plugin), {}};
    if (result.status.code != StatusCode::kWait) return {InternalError("running Permit", *plugin, result.status), {}};
    outcome.waits.emplace_back(plugin->name(), std::min(result.timeout, kMaxWait));
  }
  if (!outcome.waits.empty()) {
    outcome.status.code = StatusCode::kWait;
    outcome.status.reasons = {"one or more plugins asked to wait and no plugin rejected pod"};
  }
  return outcome;
}

Status Profile::RunPreBindPreFlight(Cycle& cycle, NodeSlot node) const {
  return Observe(RunPoint::kPreBindPreFlight, [&] { return PreBindPreFlight(cycle, node); });
}

Status Profile::PreBindPreFlight(Cycle& cycle, NodeSlot node) const {
  Status outcome = Status::Skip();
  for (const auto& [plugin, point] : pre_bind_) {
    const auto& run = *point;
    const Status status =
        ObservePlugin(*plugin, RunPoint::kPreBindPreFlight, 1, [&] { return run.PreBindPreFlight(cycle, node); });
    if (status.is_skip()) continue;
    if (!status.ok()) return InternalError("running PreBindPreFlight", *plugin, status);
    outcome = Status::Success();
  }
  return outcome;
}

Status Profile::RunPreBind(Cycle& cycle, NodeSlot node, Time now, Effects& effects, std::vector<const Plugin*>& askers,
                           Moment since) const {
  bool waiting = false;
  for (const auto& [plugin, point] : pre_bind_) {
    if (point->PreBindPreFlight(cycle, node).is_skip()) continue;
    Status status = point->PreBind(cycle, node, now, effects);
    askers.resize(effects.size(), plugin);
    if (observer_ != nullptr && status.code != StatusCode::kWait) {
      observer_->PluginRan(*this, *plugin, RunPoint::kPreBind, status.code, 1, since);
    }
    if (status.ok()) continue;
    if (status.code == StatusCode::kWait) {
      waiting = true;
      continue;
    }
    if (status.is_rejected()) return Blame(std::move(status), *plugin);
    return InternalError("running PreBind", *plugin, status);
  }
  return waiting ? Status{StatusCode::kWait, {}, {}} : Status::Success();
}

Status Profile::RunBind(Cycle& cycle, NodeSlot node, Effects& effects) const {
  for (const auto& [plugin, point] : bind_) {
    Status status = point->Bind(cycle, node, effects);
    if (status.is_skip()) continue;
    if (status.ok() || status.is_rejected()) return Blame(std::move(status), *plugin);
    return InternalError("running Bind", *plugin, status);
  }
  return Status::Skip();
}

void Profile::RunPostBind(Cycle& cycle, NodeSlot node) const {
  (void)Observe(RunPoint::kPostBind, [&] {
    for (const auto& [plugin, point] : post_bind_) point->PostBind(cycle, node);
    return Status::Success();
  });
}

}  // namespace berth::framework
