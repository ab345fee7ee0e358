// SPDX-License-Identifier: Apache-2.0
// KubeletEvents: the events of simulated kubelets, in upstream's words.
//
// There are few at a time, however much happens: a hundred at once, then ten in a second, in the whole cluster. What
// goes beyond is not written, as kubelets drop what is too much. So events cost next to nothing where many pods come.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "server/controllers/event_report.h"

namespace berth::server {

class KubeletEvents {
 public:
  static constexpr int64_t kBurst = 100;
  static constexpr Duration kRefill = Milliseconds(100);

  // Without `writes` there are none.
  KubeletEvents(const Cluster& cluster, bool writes) : cluster_(cluster), writes_(writes) {}

  // Whether another one would be written now.
  bool HasRoom();
  // The kubelet of the node `host` tells something about an object.
  void Tell(const StoredObject& about, std::string_view host, Notice notice);
  void Tell(const StoredObject& about, std::string_view host, std::vector<Notice> notices);
  // Somebody else does.
  void TellAs(std::string_view reporter, const StoredObject& about, const Notice& notice);

 private:
  const Cluster& cluster_;
  const bool writes_;
  int64_t room_ = kBurst;
  Time refilled_;
};

}  // namespace berth::server
