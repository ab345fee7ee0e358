// SPDX-License-Identifier: Apache-2.0
// SetRevisions: the templates that a StatefulSet or DaemonSet had, each kept as a ControllerRevision.
//
// They are numbered in the order in which they were wanted; one that is wanted again gets the next number. Users go
// back to an earlier one by putting its data into the set, as `kubectl rollout undo` does.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/parts/selector.h"
#include "server/controllers/controller.h"

namespace berth::server {

struct SetRevision {
  ObjectPtr object;
  std::string hash;
  int64_t number = 0;
  Json pod_template;

  std::string_view name() const { return object->name(); }
};

class SetRevisions {
 public:
  // `hash_label`: under which a revision says its hash. REQUIRES: all outlive this.
  SetRevisions(const Controller& controller, const Cluster& cluster, const StoredObject& set, const Json& tree,
               std::string_view hash_label);

  // Reads them, takes over those that nobody controls, and sees to it that there is one of the present template, with
  // the highest number. Whether that was done.
  bool Update(const api::Selector& selector);
  // That of the present template. REQUIRES: Update was successful.
  const SetRevision& present() const { return revisions_.back(); }
  // Null if there is none.
  const SetRevision* Find(std::string_view name) const;
  // How many names were taken.
  int64_t collisions() const { return collisions_; }
  // Deletes the oldest ones that are not in use, until the others are as few as `spec.revisionHistoryLimit` says.
  bool Prune(const std::function<bool(const SetRevision& revision)>& is_used);

 private:
  bool Load(const api::Selector& selector);
  bool IsPresent(const SetRevision& revision) const;
  bool Raise(size_t index, int64_t number);
  bool Create(int64_t number);

  const Controller& controller_;
  const Cluster& cluster_;
  const StoredObject& set_;
  const Json& tree_;
  const std::string hash_label_;
  const Resource& resource_;
  int64_t collisions_;
  std::vector<SetRevision> revisions_;  // The oldest first.
};

}  // namespace berth::server
