// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/report/plots.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "app/simulate/report/statistics.h"
#include "app/simulate/report/svg.h"

namespace berth::simulate {
namespace {

constexpr size_t kPointsMax = 800;  // About one for each pixel.

// The unit in which a time axis of this length is easy to read.
struct TimeUnit {
  std::string_view name;
  double nanos;
};
TimeUnit UnitFor(Duration length) {
  if (length > Minutes(5 * 60)) return {"h", 3600e9};
  if (length > Minutes(5)) return {"min", 60e9};
  return {"s", 1e9};
}

class TimePlot {
 public:
  explicit TimePlot(const History& history)
      : history_(history),
        unit_(UnitFor(history.end - history.start)),
        samples_(history.samples.size() > kPointsMax ? Resample(history, kPointsMax) : history.samples),
        queue_(QueueOf(history)) {}

  Axis TimeAxis() const { return {.label = "time (" + std::string(unit_.name) + ")", .max = InUnits(history_.end)}; }
  Series Make(std::string name, const std::function<double(const Sample&)>& read) const {
    Series series{.name = std::move(name), .points = {}};
    for (const Sample& sample : samples_) series.points.emplace_back(InUnits(sample.at), read(sample));
    return series;
  }
  Series MakeQueue(std::string name, const std::function<double(const QueueCounts&)>& read) const {
    Series series{.name = std::move(name), .points = {}};
    for (const QueueMean& mean : queue_) series.points.emplace_back(InUnits(mean.from), read(mean.pods));
    if (!queue_.empty()) series.points.emplace_back(InUnits(history_.end), read(queue_.back().pods));
    return series;
  }

 private:
  // At most kPointsMax means, of longer intervals where need be.
  static std::vector<QueueMean> QueueOf(const History& history) {
    if (history.queue.size() <= kPointsMax) return history.queue;
    const auto points = static_cast<int64_t>(kPointsMax);
    QueueCourse course(history.start, Duration{(history.end - history.start).nanos / points + 1});
    for (size_t i = 0; i < history.queue.size(); ++i) {
      const bool is_last = i + 1 == history.queue.size();
      course.Pass(is_last ? history.end : history.queue[i + 1].from, history.queue[i].pods);
    }
    return course.Take();
  }

  double InUnits(Time time) const { return static_cast<double>((time - history_.start).nanos) / unit_.nanos; }

  const History& history_;
  TimeUnit unit_;
  std::vector<Sample> samples_;
  std::vector<QueueMean> queue_;
};

double HighestOf(const std::vector<Series>& all) {
  double highest = 0;
  for (const Series& series : all) {
    for (const auto& [x, y] : series.points) highest = std::max(highest, y);
  }
  return highest;
}

// The parts of the queue stand on one another; the top is the number of all pending pods.
std::string QueuePlot(const TimePlot& plot) {
  using Counts = QueueCounts;
  const std::vector<Series> series = {
      plot.MakeQueue("unschedulable",
                     [](const Counts& c) { return c.binding + c.active + c.backoff + c.unschedulable; }),
      plot.MakeQueue("backoff", [](const Counts& c) { return c.binding + c.active + c.backoff; }),
      plot.MakeQueue("active", [](const Counts& c) { return c.binding + c.active; }),
      plot.MakeQueue("binding", [](const Counts& c) { return c.binding; }),
  };
  const Axis pods{.label = "pods", .max = std::max(5.0, HighestOf(series))};
  return StepChart({"Pods that wait for a node", plot.TimeAxis(), pods}, series, true);
}

std::string UtilizationPlot(const TimePlot& plot) {
  const std::vector<Series> series = {plot.Make("cpu", CpuShare), plot.Make("memory", MemoryShare)};
  return StepChart({"Requested share of the cluster",
                    plot.TimeAxis(),
                    {.label = "requested / allocatable", .max = std::max(1.0, HighestOf(series)), .is_percent = true}},
                   series);
}

// Waiting times reach from milliseconds to hours, so the classes grow.
std::string WaitingPlot(const History& history) {
  struct Class {
    Duration up_to;
    std::string_view label;
  };
  const Class classes[] = {
      {Milliseconds(20), "≤ 20ms"}, {Milliseconds(100), "≤ 0.1s"}, {Seconds(1), "≤ 1s"},   {Seconds(5), "≤ 5s"},
      {Seconds(15), "≤ 15s"},       {Minutes(1), "≤ 1min"},        {Minutes(5), "≤ 5min"}, {Minutes(30), "≤ 30min"},
  };
  std::vector<Bar> bars;
  for (const Class& each : classes) bars.push_back({std::string(each.label), 0});
  bars.push_back({"longer", 0});
  double highest = 0;
  for (const Duration wait : WaitingTimes(history)) {
    const auto it = std::ranges::find_if(classes, [&](const Class& each) { return wait <= each.up_to; });
    double& value = bars[static_cast<size_t>(it - std::begin(classes))].value;
    highest = std::max(highest, ++value);
  }
  return BarChart({"Waiting time from creation to binding",
                   {.label = "waiting time"},
                   {.label = "pods", .max = std::max(5.0, highest)}},
                  bars);
}

}  // namespace

std::vector<Plot> MakePlots(const History& history) {
  const TimePlot plot(history);
  return {{"queue.svg", QueuePlot(plot)},
          {"utilization.svg", UtilizationPlot(plot)},
          {"waiting-time.svg", WaitingPlot(history)}};
}

}  // namespace berth::simulate
