// SPDX-License-Identifier: Apache-2.0
// NamespaceController: empties namespaces that are being deleted, and then lets them go.
//
// Pods go first, as they may need the rest until they have ended. What does not go at once is told in the conditions of
// the namespace.
//
// Thread: that of the store.

#pragma once

#include "server/controllers/controller.h"
#include "server/controllers/namespaces/remaining_content.h"

namespace berth::server {

class NamespaceController : public Controller {
 public:
  explicit NamespaceController(const Cluster& cluster)
      : cluster_(cluster), namespaces_(cluster.Get("", "namespaces")), pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return "namespace"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the name of the namespace.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // Null unless it is going.
  ObjectPtr FindEnding(std::string_view name) const;
  // Deletes what is in the namespace of this resource, `left` objects at most, and takes note of what stays. Returns
  // whether everything was asked to go.
  bool Empty(const Resource& resource, const StoredObject& space, size_t& left, RemainingContent& content);
  // Whether something is still there of which nobody knows what it waits for.
  bool IsOverdue(const Resource& resource, const StoredObject& space, const std::vector<ObjectPtr>& remaining) const;
  bool Finalize(const StoredObject& space);

  const Cluster& cluster_;
  const Resource& namespaces_;
  const Resource& pods_;
};

}  // namespace berth::server
