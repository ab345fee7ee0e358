// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/default_selector.h"

#include <algorithm>

namespace berth::plugins {
namespace {

bool Selects(const api::Labels& selector, const api::Labels& labels) {
  return std::ranges::all_of(selector, [&](const api::Labels::Entry& entry) {
    const std::string* value = labels.Find(entry.first);
    return value != nullptr && *value == entry.second;
  });
}

void Merge(const api::Labels& from, api::Labels& into) {
  for (const auto& [key, value] : from) into.Set(key, value);
}

// A selector that is absent or does not compile adds nothing.
void AddRequirements(const std::optional<api::LabelSelector>& written, api::Selector& selector) {
  const Result<api::Selector> compiled = api::Selector::Compile(written);
  if (!compiled) return;
  for (const api::Selector::Requirement& requirement : compiled->requirements()) selector.Add(requirement);
}

}  // namespace

std::vector<const api::Service*> ServicesOf(const cluster::PodInfo& pod, const cluster::Objects& objects) {
  std::vector<const api::Service*> services;
  objects.services.ForNamespace(pod.ns(), [&](const api::Service& service) {
    if (service.selector && Selects(*service.selector, pod.labels())) services.push_back(&service);
  });
  return services;
}

api::Selector DefaultSelector(const cluster::PodInfo& pod, const cluster::Objects& objects) {
  const api::OwnerReference& owner = pod.pod_template->controller;
  api::Labels labels;
  for (const api::Service* service : ServicesOf(pod, objects)) Merge(*service->selector, labels);
  if (owner.kind == "ReplicationController" && owner.api_version == "v1") {
    const api::ReplicationController* controller = objects.replication_controllers.Find(pod.ns(), owner.name);
    if (controller != nullptr && controller->selector) Merge(*controller->selector, labels);
  }
  api::Selector selector = api::Selector::FromLabels(labels);
  if (owner.api_version != "apps/v1") return selector;
  if (owner.kind == "ReplicaSet") {
    const api::ReplicaSet* set = objects.replica_sets.Find(pod.ns(), owner.name);
    if (set != nullptr) AddRequirements(set->selector, selector);
  } else if (owner.kind == "StatefulSet") {
    const api::StatefulSet* set = objects.stateful_sets.Find(pod.ns(), owner.name);
    if (set != nullptr) AddRequirements(set->selector, selector);
  }
  return selector;
}

}  // namespace berth::plugins
