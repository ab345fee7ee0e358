// SPDX-License-Identifier: Apache-2.0
// Comparison: what two configurations made of the same cluster.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/document/json_tree.h"
#include "base/time.h"
#include "cluster/cluster.h"

namespace berth::explain {

// What one configuration made of it.
struct Course {
  std::map<std::string, std::string> nodes;  // By "namespace/name" of each pod; empty: it waits, or never got one.
  std::vector<Duration> waits;               // Of pods that got a node, where time passes.
  size_t evictions = 0;
  double cpu = 0;  // What is requested of all cpu at the end, from 0 to 1; of memory likewise.
  double memory = 0;
  double spread = 0;  // How much the nodes' shares of cpu differ: their standard deviation.
  double stranded =
      0;  // Which part of the free cpu is on nodes that have less than a twentieth of memory or pods left.
};

// Fills in the numbers about the nodes.
void MeasureNodes(const cluster::Cluster& cluster, Course& course);

// The two courses beside each other, and the pods that have another place.
api::Json CompareCourses(const Course& first, const Course& second);
std::string ComparisonText(const api::Json& comparison);

}  // namespace berth::explain
