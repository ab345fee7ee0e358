// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/kubelet_events.h"

#include <algorithm>
#include <utility>

namespace berth::server {

bool KubeletEvents::HasRoom() {
  if (!writes_) return false;
  const Time now = cluster_.objects.now();
  const int64_t more = (now - refilled_).nanos / kRefill.nanos;
  if (more > 0) {
    refilled_ = now;
    room_ = std::min(kBurst, room_ + std::min(more, kBurst));
  }
  return room_ > 0;
}

void KubeletEvents::Tell(const StoredObject& about, std::string_view host, Notice notice) {
  notice.host = host;
  TellAs("kubelet", about, notice);
}

void KubeletEvents::Tell(const StoredObject& about, std::string_view host, std::vector<Notice> notices) {
  for (Notice& notice : notices) Tell(about, host, std::move(notice));
}

void KubeletEvents::TellAs(std::string_view reporter, const StoredObject& about, const Notice& notice) {
  if (!HasRoom()) return;
  --room_;
  ReportEvent(cluster_, about, reporter, notice);
}

}  // namespace berth::server
