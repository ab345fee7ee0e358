// SPDX-License-Identifier: Apache-2.0
// The clusters and the kinds of pods whose scheduling cycles are measured.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/test_builders.h"
#include "scheduler/core.h"

namespace berth::bench {

constexpr Time kNow{1'000'000'000'000'000};

struct Row {
  std::string name;
  std::function<cluster::PodBuilder(int, int)> make;  // By its number, and how many nodes there are.
};
const std::vector<Row>& Rows();

void Put(scheduler::Core& core, api::Object object);

// A core with the default profile, and nodes in three zones.
std::unique_ptr<scheduler::Core> MakeCore(int nodes);

// Pods on all nodes, of 500 apps, one in ten with required anti-affinity.
void AddPods(scheduler::Core& core, int nodes, int pods);

// Answers what an attempt for the pod ordered, as a server does that agrees to everything; a pod that is bound is
// reported on its node.
void Carry(scheduler::Core& core, api::Pod pod, const std::vector<scheduler::IssuedEffect>& effects, Time now = kNow);

}  // namespace berth::bench
