// SPDX-License-Identifier: Apache-2.0
// Autoscaler: the controller of HorizontalPodAutoscalers. Four times a minute it compares what the pods of each target
// use with what they should, and scales the target.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/parts/selector.h"
#include "server/controllers/autoscaling/scaling_rules.h"
#include "server/controllers/controller.h"

namespace berth::server {

class Autoscaler : public Controller {
 public:
  explicit Autoscaler(const Cluster& cluster)
      : cluster_(cluster), autoscalers_(cluster.Get("autoscaling", "horizontalpodautoscalers")) {}

  std::string_view name() const override { return "horizontal-pod-autoscaler"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // What is remembered of an autoscaler between two looks.
  struct Memory {
    ScalingHistory history;
    std::optional<api::Selector> selector;  // Of the pods of its target.
  };
  // One look at an autoscaler.
  struct Look {
    const StoredObject& object;
    const Json& spec;
    Json status;
    Memory& memory;
  };
  struct Target {
    const Resource* resource;
    int64_t current = 0;
    std::string selector;
  };
  struct Wanted {
    int64_t replicas = 0;
    std::string metric;  // "": none was asked.
  };

  void Note(const Look& look, std::string_view type, std::string_view reason, std::string message) const;
  void SetCondition(Look& look, std::string_view type, bool is_true, std::string_view reason,
                    std::string_view message) const;
  void Reconcile(Look& look);
  // Nothing: it was told why there is none.
  std::optional<Target> FindTarget(Look& look) const;
  std::optional<std::vector<const PodInfo*>> FindPods(Look& look, const Target& target);
  std::optional<Wanted> AskMetrics(Look& look, const Target& target);
  int64_t Normalize(Look& look, int64_t current, int64_t proposed) const;
  bool Rescale(Look& look, const Target& target, int64_t replicas, const std::string& reason) const;

  const Cluster& cluster_;
  const Resource& autoscalers_;
  std::map<std::string, Memory, std::less<>> memories_;  // By key.
};

}  // namespace berth::server
