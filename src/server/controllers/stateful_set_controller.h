// SPDX-License-Identifier: Apache-2.0
// StatefulSetController: keeps pods with numbers and claims of their own, one after another or all at once.
//
// Thread: that of the store.

#pragma once

#include <vector>

#include "server/controllers/controller.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {

class StatefulSetController : public Controller {
 public:
  explicit StatefulSetController(const Cluster& cluster)
      : cluster_(cluster),
        sets_(cluster.Get("apps", "statefulsets")),
        pods_(cluster.Get("", "pods")),
        claims_(cluster.Get("", "persistentvolumeclaims")) {}

  std::string_view name() const override { return "statefulset"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  enum class Step : uint8_t { kDone, kWait, kMore, kRefused };
  // The ordinals that there should be.
  struct Range {
    int64_t first = 0;
    int64_t end = 0;
  };

  Step Act(const StoredObject& set, const Json& tree, const std::string& version);
  Step Fill(const StoredObject& set, const Json& tree, const Range& range, const std::string& version);
  bool Create(const StoredObject& set, const Json& tree, int64_t ordinal, const std::string& version);
  bool MakeClaims(const StoredObject& set, const Json& tree, Json& pod, const std::string& pod_name);
  bool Report(const StoredObject& set, const Json& tree, const std::string& version);

  const Cluster& cluster_;
  const Resource& sets_;
  const Resource& pods_;
  const Resource& claims_;
};

}  // namespace berth::server
