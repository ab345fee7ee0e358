// SPDX-License-Identifier: Apache-2.0
// Scheduling cycles per second over the size of the cluster: one row per kind of pod, one column per number of nodes.
//
//   cycle_curve                                    all rows at 100, 1,000, 5,000, 15,000 and 100,000 nodes
//   cycle_curve --nodes 5000,1000000 --rows plain  some of them
//   cycle_curve --json FILE                        also as JSON, for bench/plot_curve.py
//
// A cycle is one step of the core, as in cycle_bench: the pod is taken from the queue, decided, assumed, and its
// binding is ordered; CPU time of that step alone is counted. Default profile, one thread, all nodes considered. The
// cluster has 30 pods per node, 150,000 at most, of 500 apps, one in ten with required anti-affinity. Of each row the
// first cycles are not counted, until nodes that are kept in order exist.

#include <fmt/format.h>
#include <malloc.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cycle_workloads.h"

namespace berth {
namespace {

using namespace bench;

constexpr int kWarmUp = 100;
constexpr int kCyclesMax = 20'000;
constexpr double kSecondsMax = 2;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double MegabytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20);
}

// Cycles per second of CPU time. The pods are gone afterwards.
double Measure(scheduler::Core& core, const Row& row, int nodes) {
  double seconds = 0;
  double warm_up = 0;
  int cycles = 0;
  std::vector<std::string> names;
  for (int i = 0; i < kWarmUp + kCyclesMax && seconds < kSecondsMax; ++i) {
    api::Pod pod = row.make(i, nodes).Build();
    Put(core, pod);
    const double before = CpuSeconds();
    const std::vector<scheduler::IssuedEffect> effects = core.Step({kNow, scheduler::ScheduleNext{}});
    const double after = CpuSeconds();
    if (i < kWarmUp && warm_up < kSecondsMax) {
      warm_up += after - before;
    } else {
      seconds += after - before;
      ++cycles;
    }
    names.push_back(pod.meta.name);
    Carry(core, std::move(pod), effects);
  }
  for (const std::string& name : names) core.Step({kNow, scheduler::RemoveObject{"Pod", "default", name}});
  return cycles / seconds;
}

struct Column {
  int nodes = 0;
  double load_seconds = 0;
  double megabytes = 0;
  std::vector<std::pair<std::string, double>> rows;  // Cycles per second.
};

Column MeasureAll(int nodes, const std::vector<std::string>& wanted) {
  Column column{.nodes = nodes, .rows = {}};
  const double memory_before = MegabytesInUse();
  const double before = CpuSeconds();
  const std::unique_ptr<scheduler::Core> core = MakeCore(nodes);
  column.load_seconds = CpuSeconds() - before;
  column.megabytes = MegabytesInUse() - memory_before;
  AddPods(*core, nodes, std::min(30 * nodes, 150'000));
  for (const Row& row : Rows()) {
    if (!wanted.empty() && std::ranges::find(wanted, row.name) == wanted.end()) continue;
    column.rows.emplace_back(row.name, Measure(*core, row, nodes));
    fmt::print("{:>9} nodes  {:<14} {:>10.0f} cycles/s\n", nodes, row.name, column.rows.back().second);
    std::fflush(stdout);
  }
  fmt::print("{:>9} nodes  loaded in {:.2f} s, {:.0f} MB\n", nodes, column.load_seconds, column.megabytes);
  return column;
}

void WriteJson(const std::string& path, const std::vector<Column>& columns) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw CLI::FileError(path + " cannot be written");
  fmt::print(file, "[");
  for (const Column& column : columns) {
    fmt::print(file, "{}\n  {{\"nodes\": {}, \"loadSeconds\": {:.3f}, \"megabytes\": {:.1f}, \"cyclesPerSecond\": {{",
               &column == columns.data() ? "" : ",", column.nodes, column.load_seconds, column.megabytes);
    for (const auto& [name, rate] : column.rows) {
      fmt::print(file, "{}\"{}\": {:.0f}", name == column.rows.front().first ? "" : ", ", name, rate);
    }
    fmt::print(file, "}}}}");
  }
  fmt::print(file, "\n]\n");
  std::fclose(file);
}

int Run(int argc, char** argv) {
  std::vector<int> nodes = {100, 1'000, 5'000, 15'000, 100'000};
  std::vector<std::string> rows;
  std::string json;
  CLI::App app("Scheduling cycles per second over the size of the cluster");
  app.add_option("--nodes", nodes, "Numbers of nodes")->delimiter(',')->check(CLI::Range(1, 5'000'000));
  std::vector<std::string> names;
  for (const Row& row : Rows()) names.push_back(row.name);
  app.add_option("--rows", rows, "Kinds of pods")->delimiter(',')->check(CLI::IsMember(names));
  app.add_option("--json", json, "Write the figures to this file as well");
  CLI11_PARSE(app, argc, argv);
  std::vector<Column> columns;
  for (const int count : nodes) columns.push_back(MeasureAll(count, rows));
  if (!json.empty()) WriteJson(json, columns);
  return 0;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) { return berth::Run(argc, argv); }
