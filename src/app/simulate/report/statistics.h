// SPDX-License-Identifier: Apache-2.0
// Statistics: what a history says in numbers.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/simulate/history/pod_life.h"

namespace berth::simulate {

// How long pods waited from creation to binding. Percentiles are waiting times that occurred (nearest rank).
struct WaitingTime {
  size_t count = 0;
  Duration p50;
  Duration p90;
  Duration p99;
  Duration max;
};
WaitingTime Summarize(std::vector<Duration> waits);

struct HistorySummary {
  std::map<PodLife::State, size_t> states;
  size_t placed = 0;        // Pods that waited and got a node.
  size_t never_placed = 0;  // Pods that still wait at the end.
  WaitingTime waiting;
  std::map<int32_t, WaitingTime, std::greater<>> waiting_by_priority;
  double cpu_mean = 0;  // Share of the cluster that was requested, from 0 to 1, over the whole time.
  double memory_mean = 0;
};
HistorySummary Summarize(const History& history);

// The waiting times of all pods that got a node.
std::vector<Duration> WaitingTimes(const History& history);

// The samples that hold at `count` times, evenly spread from the start to the end; `at` is that time.
std::vector<Sample> Resample(const History& history, size_t count);

double CpuShare(const Sample& sample);
double MemoryShare(const Sample& sample);

// Short and with one digit after the point at most: 0.2ms, 35ms, 1.5s, 2m10s.
std::string ShortDuration(Duration duration);

}  // namespace berth::simulate
