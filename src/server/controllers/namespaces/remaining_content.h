// SPDX-License-Identifier: Apache-2.0
// RemainingContent: what keeps a namespace from going, and the conditions that say so.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "server/model/json.h"
#include "server/store/stored_object.h"

namespace berth::server {

class RemainingContent {
 public:
  // Pods are still there, so nothing else was looked at.
  void AddPods() { has_pods_ = true; }
  // Objects of this resource are still there.
  void Add(const Resource& resource, const std::vector<ObjectPtr>& objects);
  // Why something could not be deleted.
  void AddFailure(std::string why) { failures_.push_back(std::move(why)); }

  bool has_failed() const { return !failures_.empty(); }
  // Whether nothing is left.
  bool empty() const { return counts_.empty() && !has_pods_; }

  // Sets the conditions in the status of the namespace.
  void Report(Json& status, Time now) const;

 private:
  std::map<std::string, size_t> counts_;      // By resource, such as `deployments.apps`.
  std::map<std::string, size_t> finalizers_;  // How many objects have each.
  std::vector<std::string> failures_;
  bool has_pods_ = false;
};

}  // namespace berth::server
