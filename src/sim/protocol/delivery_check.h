// SPDX-License-Identifier: Apache-2.0
// DeliveryCheck: whether the objects that reach one scheduler's core are the history of the server.
//
// A reflector says up to which version it has delivered everything. From one such version to the next it must have
// delivered exactly the changes that the server made, in their order, and after a list the difference. Pods and claims
// that were read or written by themselves may be ahead.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "client/watch/object_sink.h"
#include "client/watch/reflector_observer.h"
#include "sim/protocol/served_cluster.h"

namespace berth::sim {

class DeliveryCheck final : public client::ReflectorObserver {
 public:
  // REQUIRES: the cluster outlives this.
  explicit DeliveryCheck(const ServedCluster& cluster) : cluster_(cluster) {}

  void OnDelivered(const client::Delivery& delivery);
  // The object was asked for by itself.
  void OnRead(const std::string& kind, const std::string& key) { read_[kind].insert(key); }
  void OnList(const client::WatchedResource& resource, Duration duration, size_t items) override;
  void OnResourceVersion(const client::WatchedResource& resource, std::string_view version) override;
  void OnSkipped(const client::WatchedResource& resource, const std::string& why) override;

  // What is wrong, or nothing. To be asked between two things that happen.
  std::string Check();
  // Everything must have arrived.
  std::string CheckAtRest() const;

  size_t delivered() const { return delivered_; }

 private:
  struct Change {
    std::string key;
    int64_t version = 0;  // 0: it is gone.
    bool operator==(const Change&) const = default;
  };
  struct Trail {
    std::map<std::string, int64_t> view;
    std::map<std::string, int64_t> newest;  // Ever seen, also of what is gone.
    std::vector<Change> since;              // Deliveries since the last check.
    int64_t checked = 0;                    // Everything up to there was found in order.
    int64_t claimed = 0;
    bool is_synced = false;                   // The first list was complete.
    bool was_listed = false;                  // Since the last check.
    std::map<std::string, int64_t> expected;  // What the server had at version `claimed`,
    size_t applied = 0;                       // by so many changes.
  };

  bool IsRead(const std::string& kind, const std::string& key) const {
    const auto read = read_.find(kind);
    return read != read_.end() && read->second.contains(key);
  }
  std::string Check(const std::string& kind, Trail& trail) const;
  std::string CheckChanges(const std::string& kind, const Trail& trail) const;
  std::string CheckView(const std::string& kind, const Trail& trail) const;
  void Expect(const std::string& kind, Trail& trail) const;

  const ServedCluster& cluster_;
  std::map<std::string, Trail> trails_;                // By kind.
  std::set<std::string> claimed_;                      // Kinds to be checked.
  std::map<std::string, std::set<std::string>> read_;  // By kind.
  std::string wrong_;                                  // Found in between.
  size_t delivered_ = 0;
};

}  // namespace berth::sim
