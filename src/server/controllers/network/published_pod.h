// SPDX-License-Identifier: Apache-2.0
// PublishedPod: what Services publish of a pod: where it can be reached, and whether it is ready.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "server/controllers/pod_index.h"

namespace berth::server {

struct PublishedPod {
  struct Port {
    std::string name;
    std::string protocol;
    int64_t number = 0;

    bool operator==(const Port&) const = default;
  };

  std::string ns;
  std::string name;
  std::string uid;
  std::string node;
  std::string hostname;
  std::string subdomain;
  std::vector<std::string> addresses;  // Of both families.
  std::vector<Port> ports;             // Those with a name, of containers and sidecars.
  bool is_ready = false;
  bool is_terminating = false;
  Time ready_changed{};  // When its Ready condition changed last.

  bool operator==(const PublishedPod&) const = default;
};
using PublishedPodPtr = std::shared_ptr<const PublishedPod>;

// Null if the pod has ended or has no address yet.
PublishedPodPtr Publish(const PodInfo& pod);

// Where a port of a Service leads to on a pod. Nothing if it has a name that no port of the pod has.
std::optional<int64_t> FindPort(const PublishedPod& pod, const Json& service_port);

// Whether it is known by its own name in the domain of this Service.
bool HasHostname(const PublishedPod& pod, std::string_view service);

// Of an address.
bool IsIpv6(std::string_view address);

// The reference by which an endpoint names its pod.
Json ReferenceTo(const PublishedPod& pod);

}  // namespace berth::server
