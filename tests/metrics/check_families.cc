// SPDX-License-Identifier: Apache-2.0
// Checks that every metric family of a table is printed with the type, stability, labels and buckets that the table
// states.
//
// Usage: berth-metric-families TABLE
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "telemetry/metrics_text.h"
#include "telemetry/process_metrics.h"
#include "telemetry/scheduler_metrics.h"

namespace {

using namespace berth::telemetry;  // NOLINT: the whole program is about it.

// A family without children is not printed, so each gets one.
template <class T>
bool Touch(MetricFamily& family) {
  auto* labelled = dynamic_cast<Labelled<T>*>(&family);
  if (labelled == nullptr) return false;
  const std::vector<std::string_view> values(family.labels().size(), "x");
  labelled->With(std::span(values));
  return true;
}

std::string_view StabilityOf(const std::string& help) {
  for (const std::string_view stability : {"ALPHA", "BETA", "STABLE"}) {
    if (help.starts_with(fmt::format("[{}] ", stability))) return stability;
  }
  return "-";
}

// name -> "type stability labels buckets", read back from the printed text.
std::map<std::string, std::string> ReadBack(const std::string& text) {
  std::map<std::string, std::string> rows;
  std::istringstream lines(text);
  std::string line, name, help, type, labels, bounds;
  const auto finish = [&] {
    if (!name.empty()) {
      rows[name] = fmt::format("{} {} {}{}{}", type, StabilityOf(help), labels.empty() ? "-" : labels,
                               bounds.empty() ? "" : " ", bounds);
    }
    labels.clear();
    bounds.clear();
  };
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string hash, keyword;
    if (line.starts_with("# HELP ")) {
      finish();
      words >> hash >> keyword >> name;
      help = line.substr(line.find(name) + name.size() + 1);
    } else if (line.starts_with("# TYPE ")) {
      words >> hash >> keyword >> hash >> type;
    } else {
      labels.clear();
      for (size_t at = line.find_first_of("{,"); at < line.find('}'); at = line.find(',', at + 1)) {
        const std::string label = line.substr(at + 1, line.find('=', at) - at - 1);
        if (label == "le") {
          const size_t begin = line.find('"', at) + 1;
          bounds += (bounds.empty() ? "" : ",") + line.substr(begin, line.find('"', begin) - begin);
        } else {
          labels += (labels.empty() ? "" : ",") + label;
        }
      }
    }
  }
  finish();
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: berth-metric-families TABLE\n";
    return 2;
  }
  Registry registry;
  const SchedulerMetrics scheduler(registry);
  const GroupMetrics groups(registry);
  const PlacementMetrics placements(registry);
  const ClientMetrics client(registry);
  AddProcessMetrics(registry);
  AddBuildMetrics(registry, {.git_version = "v1.37.1", .emulation = "1.37", .min_compatibility = "1.36"});
  AddFeatureMetrics(registry, {{.name = "A", .stage = "BETA", .enabled = true}});
  AddMetaMetrics(registry);
  for (const auto& [name, family] : registry.families()) {
    Touch<Counter>(*family) || Touch<Gauge>(*family) || Touch<Histogram>(*family);
  }
  const std::map<std::string, std::string> printed = ReadBack(registry.Print());

  std::ifstream table(argv[1]);
  int checked = 0;
  int wrong = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const size_t space = line.find(' ');
    const auto row = printed.find(line.substr(0, space));
    const std::string found = row == printed.end() ? "nothing" : row->second;
    ++checked;
    if (found == line.substr(space + 1)) continue;
    ++wrong;
    std::cerr << fmt::format("{}\n  expected {}\n  found    {}\n", line.substr(0, space), line.substr(space + 1),
                             found);
  }
  std::cout << fmt::format("{} families, {} wrong\n", checked, wrong);
  return checked > 0 && wrong == 0 ? 0 : 1;
}
