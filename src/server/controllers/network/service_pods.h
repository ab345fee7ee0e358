// SPDX-License-Identifier: Apache-2.0
// ServicePods: which pods each Service selects, and what is published of them.
//
// Only Services with a selector are kept. A pod that changes is compared with those that ask for one of its labels; all
// pods of a namespace are looked at once for each selector that is new there.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/controllers/network/published_pod.h"
#include "server/store/change.h"

namespace berth::server {

class ServicePods {
 public:
  struct Selected {
    std::map<std::string, PublishedPodPtr> pods;  // By key.
    // The first of the changes that nobody took note of yet; zero if there is none.
    Time changed{};
  };

  // The Service is there, with this selector.
  void PutService(const StoredObject& service, const api::Labels& selector, Time created, const PodIndex& pods);
  void RemoveService(const StoredObject& service);
  // The names of the Services of its namespace for which the change of a pod makes a difference.
  std::vector<std::string> OnPod(const Change& change, const PodIndex& pods);

  // Null if it is not kept.
  Selected* Find(std::string_view ns, std::string_view service);

 private:
  struct Service {
    api::Labels selector;  // Not empty.
    Selected selected;
  };
  struct Space {
    std::map<std::string, Service, std::less<>> services;  // By name.
    // The names of the Services whose selector begins with a label, by its name and value.
    std::map<std::string, std::map<std::string, std::set<std::string>, std::less<>>, std::less<>> by_label;
  };

  static void Select(Service& service, std::string_view ns, const PodIndex& pods);
  // Adds the names of the Services that select pods with these labels.
  static void FindSelecting(const Space& space, const api::Labels& labels, std::set<std::string_view>& names);
  // Whether it makes a difference. `pod`: null if it is not published by this Service any more.
  static bool Put(Selected& selected, const std::string& key, const PublishedPodPtr& pod);

  std::map<std::string, Space, std::less<>> spaces_;  // By namespace; those that have Services.
};

}  // namespace berth::server
