// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/network/published_pod.h"

#include <algorithm>

#include "server/model/find_condition.h"

namespace berth::server {
namespace {

void AddNamedPorts(const Json& container, std::vector<PublishedPod::Port>& ports) {
  for (const Json& port : container["ports"].items()) {
    if (port["name"].text().empty()) continue;
    ports.push_back(
        {.name = port["name"].text(), .protocol = port["protocol"].text(), .number = port["containerPort"].IntOr(0)});
  }
}

}  // namespace

PublishedPodPtr Publish(const PodInfo& pod) {
  if (pod.has_ended()) return nullptr;
  const TreePtr kept = pod.object->tree();
  const Json& spec = (*kept)["spec"];
  const Json& status = (*kept)["status"];
  if (status["podIPs"].empty()) return nullptr;
  auto published = std::make_shared<PublishedPod>();
  published->ns = pod.object->ns();
  published->name = pod.object->name();
  published->uid = pod.object->uid();
  published->node = pod.node;
  published->hostname = spec["hostname"].text();
  published->subdomain = spec["subdomain"].text();
  for (const Json& address : status["podIPs"].items()) published->addresses.push_back(address["ip"].text());
  for (const Json& container : spec["containers"].items()) AddNamedPorts(container, published->ports);
  for (const Json& container : spec["initContainers"].items()) {
    if (container["restartPolicy"].text() == "Always") AddNamedPorts(container, published->ports);
  }
  published->is_ready = pod.is_ready;
  published->is_terminating = pod.is_deleting;
  const Json& ready = FindCondition(status["conditions"], "Ready");
  published->ready_changed = ParseTime(ready["lastTransitionTime"].text()).value_or(Time{});
  return published;
}

std::optional<int64_t> FindPort(const PublishedPod& pod, const Json& service_port) {
  const Json& target = service_port["targetPort"];
  if (const std::optional<int64_t> number = target.AsInt()) return number;
  const auto found = std::ranges::find_if(pod.ports, [&](const PublishedPod::Port& port) {
    return port.name == target.text() && port.protocol == service_port["protocol"].text();
  });
  return found == pod.ports.end() ? std::nullopt : std::optional(found->number);
}

bool HasHostname(const PublishedPod& pod, std::string_view service) {
  return !pod.hostname.empty() && pod.subdomain == service;
}

bool IsIpv6(std::string_view address) { return address.contains(':'); }

Json ReferenceTo(const PublishedPod& pod) {
  return Json{{"kind", Json::String("Pod")},
              {"namespace", Json::String(pod.ns)},
              {"name", Json::String(pod.name)},
              {"uid", Json::String(pod.uid)}};
}

}  // namespace berth::server
