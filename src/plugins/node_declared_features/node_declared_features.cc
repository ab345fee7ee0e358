// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_declared_features/node_declared_features.h"

#include <algorithm>

#include "plugins/helpers/hints.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

template <class Predicate>
bool AnyContainer(const std::vector<api::Container>& containers, Predicate predicate) {
  return std::any_of(containers.begin(), containers.end(), predicate);
}

bool DeclaresAll(const api::Node& node, const std::vector<std::string_view>& required) {
  const std::vector<std::string>& declared = node.declared_features;
  return std::all_of(required.begin(), required.end(), [&](std::string_view feature) {
    return std::find(declared.begin(), declared.end(), feature) != declared.end();
  });
}

}  // namespace

std::vector<std::string_view> RequiredNodeFeatures(const api::PodSpec& spec) {
  const auto restarts_all = [](const api::Container& container) { return container.restarts_all_containers; };
  const auto has_options = [](const api::Container& container) { return container.has_bind_mount_options; };
  std::vector<std::string_view> features;
  if (AnyContainer(spec.containers, restarts_all) || AnyContainer(spec.init_containers, restarts_all)) {
    features.push_back("RestartAllContainersOnContainerExits");
  }
  if (spec.host_network && !spec.host_users.value_or(true)) features.push_back("UserNamespacesHostNetworkSupport");
  if (AnyContainer(spec.containers, has_options) || AnyContainer(spec.init_containers, has_options) ||
      AnyContainer(spec.ephemeral_containers, has_options)) {
    features.push_back("VolumeBindMountOptions");
  }
  return features;
}

Result<std::unique_ptr<framework::Plugin>> NodeDeclaredFeatures::Create(const framework::PluginContext& context) {
  return std::make_unique<NodeDeclaredFeatures>(context.gates.Enabled(framework::Gate::kNodeDeclaredFeatures));
}

framework::PreFilterResult NodeDeclaredFeatures::PreFilter(framework::Cycle& cycle) const {
  if (!enabled_ || RequiredNodeFeatures(cycle.pod().spec()).empty()) return {.status = framework::Status::Skip()};
  return {};
}

void NodeDeclaredFeatures::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  if (!enabled_) return;
  const std::vector<std::string_view> required = RequiredNodeFeatures(cycle.pod().spec());
  candidates.RejectIf(framework::StatusCode::kUnschedulableAndUnresolvable, kReason,
                      [&](cluster::NodeSlot slot) { return !DeclaresAll(*cycle.nodes().node[slot.index], required); });
}

std::vector<framework::EventRegistration> NodeDeclaredFeatures::EventsToRegister() const {
  if (!enabled_) return {};
  return {
      {.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeDeclaredFeature}, .has_hint = true},
      {.event = {EventResource::kTargetPod, action::kUpdate}, .has_hint = true},
  };
}

Result<framework::QueueingHint> NodeDeclaredFeatures::Hint(const cluster::PodInfo&, const framework::Change& change,
                                                           const cluster::Cluster&) const {
  if (const auto* pod = change.after<cluster::PodInfo>()) {
    return QueueIf(RequiredNodeFeatures(pod->spec()) !=
                   RequiredNodeFeatures(change.before<cluster::PodInfo>()->spec()));
  }
  const auto* before = change.before<api::Node>();
  return QueueIf(before == nullptr || before->declared_features != change.after<api::Node>()->declared_features);
}

}  // namespace berth::plugins
