// SPDX-License-Identifier: Apache-2.0
#include "plugins/priority_sort/priority_sort.h"

namespace berth::plugins {

bool PrioritySort::Less(const framework::QueuedPod& a, const framework::QueuedPod& b, const cluster::Cluster&) const {
  if (a.priority != b.priority) return a.priority > b.priority;
  return a.timestamp < b.timestamp;
}

}  // namespace berth::plugins
