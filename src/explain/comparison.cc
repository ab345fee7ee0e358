// SPDX-License-Identifier: Apache-2.0
#include "explain/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "explain/utilization.h"
#include "explain/wrapped_text.h"

namespace berth::explain {
namespace {

using api::Json;

double ShareOf(const Usage& usage) {
  return usage.allocatable > 0 ? static_cast<double>(usage.requested) / static_cast<double>(usage.allocatable) : 0;
}

Json Fraction(double value) { return Json::Number(fmt::format("{:.4f}", value)); }

// Nearest rank; REQUIRES: sorted.
double SecondsAt(const std::vector<Duration>& waits, double share) {
  if (waits.empty()) return 0;
  const size_t rank = static_cast<size_t>(std::ceil(share * static_cast<double>(waits.size())));
  return static_cast<double>(waits[std::max<size_t>(rank, 1) - 1].nanos) / 1e9;
}

Json CourseJson(const Course& course) {
  std::vector<Duration> waits = course.waits;
  std::ranges::sort(waits);
  const auto placed = std::ranges::count_if(course.nodes, [](const auto& each) { return !each.second.empty(); });
  return Json{{"pods", Json::Int(static_cast<int64_t>(course.nodes.size()))},
              {"placed", Json::Int(placed)},
              {"evictions", Json::Int(static_cast<int64_t>(course.evictions))},
              {"cpu", Fraction(course.cpu)},
              {"memory", Fraction(course.memory)},
              {"spread", Fraction(course.spread)},
              {"stranded", Fraction(course.stranded)},
              {"waitSecondsP50", Fraction(SecondsAt(waits, 0.5))},
              {"waitSecondsP99", Fraction(SecondsAt(waits, 0.99))}};
}

}  // namespace

void MeasureNodes(const cluster::Cluster& cluster, Course& course) {
  const Utilization utilization = Measure(cluster);
  course.cpu = ShareOf(utilization.total.cpu_milli);
  course.memory = ShareOf(utilization.total.memory_bytes);
  double sum = 0;
  double squares = 0;
  double free = 0;
  double stranded = 0;
  for (const NodeUsage& node : utilization.nodes) {
    const double share = ShareOf(node.cpu_milli);
    sum += share;
    squares += share * share;
    const double left =
        static_cast<double>(std::max<int64_t>(0, node.cpu_milli.allocatable - node.cpu_milli.requested));
    free += left;
    if (ShareOf(node.memory_bytes) > 0.95 || ShareOf(node.pods) > 0.95) stranded += left;
  }
  const double count = std::max(1.0, static_cast<double>(utilization.nodes.size()));
  course.spread = std::sqrt(std::max(0.0, squares / count - (sum / count) * (sum / count)));
  course.stranded = free > 0 ? stranded / free : 0;
}

Json CompareCourses(const Course& first, const Course& second) {
  std::set<std::string> names;
  for (const Course* course : {&first, &second}) {
    for (const auto& [name, node] : course->nodes) names.insert(name);
  }
  const auto node_in = [](const Course& course, const std::string& name) {
    const auto found = course.nodes.find(name);
    return found == course.nodes.end() ? std::string() : found->second;
  };
  Json moved = Json::MakeList();
  for (const std::string& name : names) {
    std::string before = node_in(first, name);
    std::string after = node_in(second, name);
    if (before == after) continue;
    moved.Append(Json{{"pod", Json::String(name)},
                      {"first", Json::String(std::move(before))},
                      {"second", Json::String(std::move(after))}});
  }
  return Json{{"first", CourseJson(first)}, {"second", CourseJson(second)}, {"differ", std::move(moved)}};
}

std::string ComparisonText(const Json& comparison) {
  constexpr size_t kShown = 20;
  const auto percent = [](const Json& value) { return fmt::format("{:.1f}%", std::stod("0" + value.text()) * 100); };
  const auto line = [&](std::string_view title, auto show) {
    return fmt::format("{:<36}{:>14}{:>14}\n", title, show(comparison["first"]), show(comparison["second"]));
  };
  const auto plain = [](const char* name) { return [name](const Json& course) { return course[name].text(); }; };
  const auto share = [&](const char* name) {
    return [name, percent](const Json& course) { return percent(course[name]); };
  };
  std::string text = fmt::format("{:<36}{:>14}{:>14}\n", "", "first", "second");
  text += line("pods placed", plain("placed"));
  text += line("evictions", plain("evictions"));
  text += line("cpu requested", share("cpu"));
  text += line("memory requested", share("memory"));
  text += line("spread of cpu over nodes", share("spread"));
  text += line("free cpu that is stranded", share("stranded"));
  text += line("seconds waited, median", plain("waitSecondsP50"));
  text += line("seconds waited, 99th percentile", plain("waitSecondsP99"));
  const Json& differ = comparison["differ"];
  text += fmt::format("{} pods have another place\n", differ.size());
  for (size_t i = 0; i < std::min(kShown, differ.size()); ++i) {
    const auto place = [&](const char* name) {
      return differ[i][name].text().empty() ? std::string("nowhere") : differ[i][name].text();
    };
    text += Wrapped(fmt::format("{}: {} -> {}", differ[i]["pod"].text(), place("first"), place("second")), 2);
  }
  if (differ.size() > kShown) text += fmt::format("  and {} more\n", differ.size() - kShown);
  return text;
}

}  // namespace berth::explain
