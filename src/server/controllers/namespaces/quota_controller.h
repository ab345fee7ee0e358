// SPDX-License-Identifier: Apache-2.0
// QuotaController: says in the status of quotas what they limit and how much of it is used.
//
// Admission adds what a write uses at once; what is given back, when objects change, end or are deleted, is found here.
// In namespaces with quotas the usage of every object is kept, so a change costs the difference that it makes.
// Elsewhere nothing is kept or looked at.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/admission/quota_usage.h"
#include "server/controllers/controller.h"

namespace berth::server {

class QuotaController : public Controller {
 public:
  explicit QuotaController(const Cluster& cluster)
      : cluster_(cluster),
        quotas_(cluster.Get("", "resourcequotas")),
        pods_(cluster.Get("", "pods")),
        claims_(cluster.Get("resource.k8s.io", "resourceclaims")),
        classes_(cluster.Get("resource.k8s.io", "deviceclasses")) {}

  std::string_view name() const override { return "resource-quota"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of the quota, or of a pod whose end is overdue, with a prefix.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  using UsagePtr = std::shared_ptr<const QuotaUsage>;
  struct Tally {
    Json spec;  // Null: it was not counted yet.
    Amounts used;
  };
  // A namespace that has quotas.
  struct Space {
    bool is_known = false;                                       // All of its objects have been looked at.
    std::map<std::string, Tally> quotas;                         // By name.
    std::map<std::pair<size_t, std::string>, UsagePtr> objects;  // By resource and name.
    UsagePtr last;                                               // Many are alike, and share one.
  };

  QuotaView View() const {
    return {.store = cluster_.store(), .catalog = cluster_.objects.catalog(), .now = cluster_.objects.now()};
  }
  void OnQuota(const Change& change, const Enqueue& enqueue);
  // Whether anything is different.
  bool Count(Space& space, const StoredObject& object, bool is_gone, const QuotaView& view);
  bool CountClaim(Space& space, std::string_view ns, const std::string& name, const QuotaView& view);
  void CountAll(Space& space, std::string_view ns, const QuotaView& view);
  Json StatusOf(const Json& quota, const Tally& tally, const QuotaView& view) const;
  std::optional<Duration> SyncOverduePod(const std::string& key);

  const Cluster& cluster_;
  const Resource& quotas_;
  const Resource& pods_;
  const Resource& claims_;
  const Resource& classes_;
  std::map<std::string, Space, std::less<>> spaces_;  // By namespace.
};

}  // namespace berth::server
