// SPDX-License-Identifier: Apache-2.0
// NamespaceController: empties namespaces that are being deleted, and then lets them go.
//
// Thread: that of the store.

#pragma once

#include "server/controllers/controller.h"

namespace berth::server {

class NamespaceController : public Controller {
 public:
  explicit NamespaceController(const Cluster& cluster)
      : cluster_(cluster), namespaces_(cluster.Get("", "namespaces")) {}

  std::string_view name() const override { return "namespace"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the name of the namespace.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  bool IsEnding(std::string_view name) const;

  const Cluster& cluster_;
  const Resource& namespaces_;
};

}  // namespace berth::server
