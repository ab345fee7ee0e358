// SPDX-License-Identifier: Apache-2.0
// Small canonical objects for tests of the store.

#pragma once

#include <string>
#include <string_view>

#include "server/model/json.h"

namespace berth::server {

inline Json TestPod(std::string_view ns, std::string_view name, std::string_view node = {},
                    std::string_view phase = "Pending") {
  Json metadata = {{"name", Json::String(name)},
                   {"namespace", Json::String(ns)},
                   {"uid", Json::String("uid-of-" + std::string(name))},
                   {"creationTimestamp", Json::String("2026-01-01T00:00:00Z")},
                   {"labels", {{"app", Json::String("web")}, {"name", Json::String(name)}}}};
  Json container = {{"name", Json::String("main")},
                    {"image", Json::String("registry.example/web:1")},
                    {"resources", Json::MakeMap()}};
  Json pod = {{"kind", Json::String("Pod")},
              {"apiVersion", Json::String("v1")},
              {"metadata", std::move(metadata)},
              {"spec", {{"containers", Json::MakeList({std::move(container)})}}},
              {"status", {{"phase", Json::String(phase)}}}};
  if (!node.empty()) pod.Make({"spec", "nodeName"}) = Json::String(node);
  return pod;
}

inline Json TestNamespace(std::string_view name) {
  return {{"kind", Json::String("Namespace")},
          {"apiVersion", Json::String("v1")},
          {"metadata",
           {{"name", Json::String(name)},
            {"uid", Json::String("uid-of-" + std::string(name))},
            {"creationTimestamp", Json::String("2026-01-01T00:00:00Z")}}},
          {"spec", Json::MakeMap()},
          {"status", Json::MakeMap()}};
}

}  // namespace berth::server
