// SPDX-License-Identifier: Apache-2.0
// NamespaceDefaultsController: gives every namespace what it has without being asked, again if somebody deletes it.
//
// Thread: that of the store.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/controllers/controller.h"

namespace berth::server {

class NamespaceDefaultsController : public Controller {
 public:
  // `root_ca`: see AddNamespaceDefaults. `is_whole`: pods may name no account that does not exist.
  NamespaceDefaultsController(const Cluster& cluster, std::string root_ca, bool is_whole);

  std::string_view name() const override { return "namespace-defaults"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the name of the namespace.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  const Cluster& cluster_;
  const Resource& namespaces_;
  const Resource& accounts_;
  const Resource& configs_;
  const std::string root_ca_;
};

}  // namespace berth::server
