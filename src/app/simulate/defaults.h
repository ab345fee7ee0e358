// SPDX-License-Identifier: Apache-2.0
// Defaults: what an API server fills in when objects are created, as far as scheduling depends on it.
//
// Pods get their scheduler name, requests from limits, priority from their class, the tolerations of every pod, a uid
// and a phase. Claims get the default storage class, classes their binding mode, volumes their phase, nodes their
// allocatable amounts. Two defaults come from elsewhere: the hostname label, which the kubelet sets, and the label with
// the name of a namespace.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/document/value.h"
#include "api/objects/object.h"
#include "app/simulate/names.h"
#include "app/simulate/workload.h"
#include "base/result.h"

namespace berth::simulate {

class PodDefaults {
 public:
  explicit PodDefaults(const std::vector<api::PriorityClass>& classes);

  // Fails if the pod names a priority class that does not exist and has no priority yet.
  Result<void> Apply(api::Pod& pod, NameGenerator& names) const;

 private:
  struct Priority {
    int32_t value = 0;
    std::string preemption_policy;
  };
  Result<void> SetPriority(api::PodSpec& spec) const;

  std::map<std::string, Priority, std::less<>> classes_;
  std::string global_default_;  // Name of the class for pods without one; may be empty.
};

// On the host's network every container port is a host port. `spec` is what `pod` was decoded from.
void DefaultHostPorts(api::Value spec, api::PodSpec& pod);

// `value` is what the node was decoded from.
Result<void> DefaultNode(api::Value value, api::Node& node);

// The name of the class for claims that name none: the newest of those marked as default.
std::optional<std::string> DefaultStorageClass(const std::vector<api::StorageClass>& classes);

void DefaultClaim(const std::optional<std::string>& default_class, NameGenerator& names,
                  api::PersistentVolumeClaim& claim);
void DefaultVolume(NameGenerator& names, api::PersistentVolume& volume);
void DefaultStorageClassFields(api::StorageClass& storage_class);
void DefaultNamespace(api::Namespace& ns);

}  // namespace berth::simulate
