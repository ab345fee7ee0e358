// SPDX-License-Identifier: Apache-2.0

#include "client/informers.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace berth::client {
namespace {

bool IsBooked(const WatchedResource& resource) {
  return std::ranges::any_of(api::kKindRows,
                             [&](const api::KindRow& row) { return row.is_booked && row.kind == resource.kind; });
}

}  // namespace

WatchedGroups GroupsOf(const framework::FeatureGates& gates) {
  return {.pod_groups = gates.Enabled(framework::Gate::kGenericWorkload),
          .composite_pod_groups = gates.Enabled(framework::Gate::kCompositePodGroup)};
}

std::vector<WatchedResource> SchedulerResources(WatchedGroups groups) {
  std::vector<WatchedResource> resources;
  for (const api::KindRow& row : api::kKindRows) {
    const bool is_asked_for = (groups.pod_groups && row.kind == "PodGroup") ||
                              (groups.composite_pod_groups && row.kind == "CompositePodGroup");
    const bool is_custom = groups.coscheduled_groups && row.kind == api::RowOf<api::CoscheduledGroup>().kind;
    if (!row.is_watched && !is_asked_for && !is_custom) continue;
    const std::string group = row.group.empty() ? "" : std::string(row.group) + "/";
    resources.push_back({std::string(row.kind), group + std::string(row.version), std::string(row.resource),
                         std::string(row.field_selector), is_custom});
  }
  return resources;
}

Informers::Informers(RestClient& client, runtime::Timers& timers, ObjectSink& sink, ReflectorObserver& observer,
                     Reflector::Options options, std::vector<WatchedResource> resources)
    : unsynced_(resources.size()) {
  for (WatchedResource& resource : resources) {
    // Not the same delays for all.
    options.seed = Random(options.seed).Next();
    Reflector::Options own = options;
    own.fresh = options.fresh && IsBooked(resource);
    reflectors_.push_back(
        std::make_unique<Reflector>(client, timers, sink, observer, std::move(resource), own, [this] { OnSynced(); }));
  }
}

void Informers::Start(Callback on_synced) {
  on_synced_ = std::move(on_synced);
  for (const auto& reflector : reflectors_) reflector->Start();
}

void Informers::Stop() {
  for (const auto& reflector : reflectors_) reflector->Stop();
}

void Informers::Resume() {
  for (const auto& reflector : reflectors_) reflector->Resume();
}

void Informers::ReadAhead(PodRead read) {
  Reflector* pods = Find("Pod");
  if (pods == nullptr) return;
  if (read.pod) return pods->ReadAhead(scheduler::PutObject{*std::move(read.pod)});
  pods->ReadAhead({"Pod", std::move(read.name.ns), std::move(read.name.name), true}, read.gone);
}

void Informers::ReadAhead(ClaimRead read) {
  if (Reflector* claims = Find("ResourceClaim")) claims->ReadAhead(scheduler::PutObject{std::move(read.claim)});
}

std::vector<std::string> Informers::NodeNames() const {
  const Reflector* nodes = Find("Node");
  return nodes == nullptr ? std::vector<std::string>() : nodes->DeliveredNames();
}

Reflector* Informers::Find(std::string_view kind) const {
  const auto found =
      std::ranges::find_if(reflectors_, [&](const auto& reflector) { return reflector->resource().kind == kind; });
  return found == reflectors_.end() ? nullptr : found->get();
}

void Informers::OnSynced() {
  if (--unsynced_ == 0 && on_synced_) on_synced_();
}

void Informers::Refresh(Callback done) {
  struct Refreshing {
    size_t waiting = 0;
    Callback done;
  };
  auto refreshing = std::make_shared<Refreshing>();
  refreshing->done = std::move(done);
  refreshing->waiting = static_cast<size_t>(
      std::ranges::count_if(reflectors_, [](const auto& reflector) { return IsBooked(reflector->resource()); }));
  for (const auto& reflector : reflectors_) {
    if (!IsBooked(reflector->resource())) continue;
    reflector->Refresh([refreshing] {
      if (--refreshing->waiting == 0) refreshing->done();
    });
  }
}

}  // namespace berth::client
