// SPDX-License-Identifier: Apache-2.0
// Objects of a core in other forms: as what was reported of them, and as manifests.
//
// A core keeps of an object what scheduling reads, so that is all that these have.

#pragma once

#include <string>

#include "api/document/json_tree.h"
#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "api/objects/storage.h"
#include "api/objects/workload.h"
#include "cluster/cluster.h"
#include "cluster/pod_info.h"

namespace berth::explain {

// As a watch would report it.
api::Pod PodOf(const cluster::PodInfo& pod);

// With its images, which the table of nodes does not keep. REQUIRES: the row has a Node object.
api::Node NodeOf(const cluster::Cluster& cluster, cluster::NodeSlot slot);

api::Json NodeManifest(const api::Node& node);
api::Json NamespaceManifest(const api::Namespace& ns);
api::Json StorageClassManifest(const api::StorageClass& storage_class);
api::Json PriorityClassManifest(const std::string& name, int32_t value);

}  // namespace berth::explain
