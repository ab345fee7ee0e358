// SPDX-License-Identifier: Apache-2.0
// What the checks of the pod security standards have in common: looking through containers, and telling of them.

#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

using TextList = std::vector<std::string>;
using TextSet = std::set<std::string>;

template <class Visit>
void VisitContainers(const Json& pod, Visit visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Json& container : pod["spec"][list].items()) visit(container);
  }
}

// The names of those of which `is_bad` is true.
template <class IsBad>
TextList ContainersThat(const Json& pod, IsBad is_bad) {
  TextList names;
  VisitContainers(pod, [&](const Json& container) {
    if (is_bad(container)) names.push_back(container["name"].text());
  });
  return names;
}

inline std::string_view Counted(std::string_view one, std::string_view many, size_t count) {
  return count == 1 ? one : many;
}

template <class Texts>
std::string InQuotes(const Texts& texts) {
  return fmt::format("\"{}\"", fmt::join(texts, "\", \""));
}

// `container "a"`, `containers "a", "b"`.
inline std::string NamesOf(const TextList& containers) {
  return fmt::format("{} {}", Counted("container", "containers", containers.size()), InQuotes(containers));
}

// The pod itself, some of its containers, or both; "" for none.
inline std::string Setters(bool is_pod, const TextList& containers) {
  if (containers.empty()) return is_pod ? "pod" : "";
  return (is_pod ? "pod and " : "") + NamesOf(containers);
}

inline bool IsForWindows(const Json& pod) { return pod["spec"]["os"]["name"].text() == "windows"; }

// Its users are none of the node's.
inline bool HasOwnUsers(const Json& pod) {
  const Json& host_users = pod["spec"]["hostUsers"];
  return host_users.is_bool() && !host_users.AsBool();
}

inline bool IsAllowedSeccomp(const Json& profile) {
  return profile["type"].text() == "Localhost" || profile["type"].text() == "RuntimeDefault";
}

}  // namespace berth::server
