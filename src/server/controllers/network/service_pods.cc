// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/service_pods.h"

#include <algorithm>

namespace berth::server {
namespace {

bool HasAll(const api::Labels& labels, const api::Labels& wanted) {
  return std::ranges::all_of(wanted, [&](const api::Labels::Entry& label) {
    const std::string* value = labels.Find(label.first);
    return value != nullptr && *value == label.second;
  });
}

}  // namespace

void ServicePods::PutService(const StoredObject& service, const api::Labels& selector, Time created,
                             const PodIndex& pods) {
  const std::string name(service.name());
  if (const auto space = spaces_.find(service.ns()); space != spaces_.end()) {
    const auto known = space->second.services.find(name);
    if (known != space->second.services.end() && known->second.selector == selector) return;
    RemoveService(service);
  }
  Space& space = spaces_[std::string(service.ns())];
  const auto& [label, value] = *selector.begin();
  space.by_label[label][value].insert(name);
  Service& added = space.services[name];
  added = {.selector = selector, .selected = {.pods = {}, .changed = created}};
  Select(added, service.ns(), pods);
}

void ServicePods::Select(Service& service, std::string_view ns, const PodIndex& pods) {
  const std::string prefix = std::string(ns) + "/";
  for (auto at = pods.all().lower_bound(prefix); at != pods.all().end() && at->first.starts_with(prefix); ++at) {
    const PodInfo& pod = at->second;
    if (!HasAll(pod.object->labels(), service.selector)) continue;
    if (PublishedPodPtr published = Publish(pod)) service.selected.pods.emplace(pod.key(), std::move(published));
  }
}

void ServicePods::RemoveService(const StoredObject& service) {
  const auto space = spaces_.find(service.ns());
  if (space == spaces_.end()) return;
  auto& [services, by_label] = space->second;
  const auto known = services.find(service.name());
  if (known == services.end()) return;
  const auto label = by_label.find(known->second.selector.begin()->first);
  const auto value = label->second.find(known->second.selector.begin()->second);
  value->second.erase(known->first);
  if (value->second.empty()) label->second.erase(value);
  if (label->second.empty()) by_label.erase(label);
  services.erase(known);
  if (services.empty()) spaces_.erase(space);
}

ServicePods::Selected* ServicePods::Find(std::string_view ns, std::string_view service) {
  const auto space = spaces_.find(ns);
  if (space == spaces_.end()) return nullptr;
  const auto known = space->second.services.find(service);
  return known == space->second.services.end() ? nullptr : &known->second.selected;
}

void ServicePods::FindSelecting(const Space& space, const api::Labels& labels, std::set<std::string_view>& names) {
  for (const auto& [label, value] : labels) {
    const auto by_value = space.by_label.find(label);
    if (by_value == space.by_label.end()) continue;
    const auto found = by_value->second.find(value);
    if (found == by_value->second.end()) continue;
    for (const std::string& name : found->second) {
      if (HasAll(labels, space.services.find(name)->second.selector)) names.insert(name);
    }
  }
}

std::vector<std::string> ServicePods::OnPod(const Change& change, const PodIndex& pods) {
  const StoredObject& object = *change.object;
  const auto at = spaces_.find(object.ns());
  if (at == spaces_.end()) return {};
  Space& space = at->second;
  std::set<std::string_view> selecting;
  FindSelecting(space, object.labels(), selecting);
  std::set<std::string_view> concerned = selecting;
  if (change.before != nullptr && change.before->labels() != object.labels()) {
    FindSelecting(space, change.before->labels(), concerned);
  }
  if (concerned.empty()) return {};
  const PublishedPodPtr published = change.type == Change::Type::kDeleted ? nullptr : Publish(*pods.Find(object.key()));
  std::vector<std::string> changed;
  for (const std::string_view name : concerned) {
    Selected& selected = space.services.find(name)->second.selected;
    if (Put(selected, object.key(), selecting.contains(name) ? published : nullptr)) changed.emplace_back(name);
  }
  return changed;
}

bool ServicePods::Put(Selected& selected, const std::string& key, const PublishedPodPtr& pod) {
  const auto known = selected.pods.find(key);
  if (pod == nullptr) return selected.pods.erase(key) > 0;
  if (known != selected.pods.end() && *known->second == *pod) return false;
  const Time before = known == selected.pods.end() ? Time{} : known->second->ready_changed;
  if (pod->ready_changed > before && (selected.changed == Time{} || pod->ready_changed < selected.changed)) {
    selected.changed = pod->ready_changed;
  }
  selected.pods[key] = pod;
  return true;
}

}  // namespace berth::server
