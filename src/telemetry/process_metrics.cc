// SPDX-License-Identifier: Apache-2.0
#include "telemetry/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace berth::telemetry {
namespace {

std::string ReadFile(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

double TicksPerSecond() { return static_cast<double>(::sysconf(_SC_CLK_TCK)); }

// The fields of /proc/self/stat from the third on. The second is the program's name, which may hold spaces.
struct Stat {
  double cpu_seconds = 0;
  double start_seconds = 0;  // Since boot.
  double virtual_bytes = 0;
  double resident_bytes = 0;

  static Stat Read() {
    const std::string text = ReadFile("/proc/self/stat");
    const size_t name_end = text.rfind(')');
    if (name_end == text.npos) return {};
    std::istringstream fields(text.substr(name_end + 1));
    std::vector<std::string> field(3);  // So that the index is the number in the manual.
    for (std::string word; fields >> word;) field.push_back(word);
    if (field.size() < 25) return {};
    const auto number = [&](size_t index) { return std::stod(field[index]); };
    return {.cpu_seconds = (number(14) + number(15)) / TicksPerSecond(),
            .start_seconds = number(22) / TicksPerSecond(),
            .virtual_bytes = number(23),
            .resident_bytes = number(24) * static_cast<double>(::sysconf(_SC_PAGESIZE))};
  }
};

double BootSeconds() {
  std::istringstream lines(ReadFile("/proc/stat"));
  for (std::string word; lines >> word;) {
    double seconds = 0;
    if (word == "btime" && lines >> seconds) return seconds;
  }
  return 0;
}

double StartSeconds() {
  static const double start = BootSeconds() + Stat::Read().start_seconds;
  return start;
}

double Limit(__rlimit_resource resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

double OpenFiles() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  // One of them is the directory itself.
  return error ? 0 : static_cast<double>(std::distance(begin(files), end(files)) - 1);
}

struct Traffic {
  double received = 0;
  double sent = 0;

  // The octets of IP, from the line pair "IpExt: names" and "IpExt: numbers".
  static Traffic Read() {
    std::istringstream lines(ReadFile("/proc/self/net/netstat"));
    std::string names;
    std::string numbers;
    Traffic traffic;
    while (std::getline(lines, names) && std::getline(lines, numbers)) {
      if (!names.starts_with("IpExt:")) continue;
      std::istringstream name_words(names);
      std::istringstream number_words(numbers);
      for (std::string name, number; name_words >> name && number_words >> number;) {
        if (name == "InOctets") traffic.received = std::stod(number);
        if (name == "OutOctets") traffic.sent = std::stod(number);
      }
    }
    return traffic;
  }
};

}  // namespace

Time ProcessStartTime() { return {static_cast<int64_t>(StartSeconds() * 1e9)}; }

void AddProcessMetrics(Registry& registry) {
  Gauge& cpu = registry.AddMeasuredCounter(
      {"process_cpu_seconds_total", "Seconds of processor time that the process has used.", Stability::kUnstated});
  Gauge& open_files = registry.AddGauge({"process_open_fds", "Files that are open.", Stability::kUnstated});
  Gauge& max_files = registry.AddGauge({"process_max_fds", "Files that may be open at once.", Stability::kUnstated});
  Gauge& virtual_memory =
      registry.AddGauge({"process_virtual_memory_bytes", "Size of the address space.", Stability::kUnstated});
  Gauge& max_memory = registry.AddGauge(
      {"process_virtual_memory_max_bytes", "Size that the address space may have.", Stability::kUnstated});
  Gauge& resident = registry.AddGauge({"process_resident_memory_bytes", "Memory in use.", Stability::kUnstated});
  Gauge& start = registry.AddGauge(
      {"process_start_time_seconds", "When the process started, in seconds since the epoch.", Stability::kUnstated});
  Gauge& received = registry.AddMeasuredCounter(
      {"process_network_receive_bytes_total", "Bytes that came over the network.", Stability::kUnstated});
  Gauge& sent = registry.AddMeasuredCounter(
      {"process_network_transmit_bytes_total", "Bytes that were sent over the network.", Stability::kUnstated});
  registry.BeforePrinting(
      [&cpu, &open_files, &max_files, &virtual_memory, &max_memory, &resident, &start, &received, &sent] {
        const Stat stat = Stat::Read();
        const Traffic traffic = Traffic::Read();
        cpu.Set(stat.cpu_seconds);
        virtual_memory.Set(stat.virtual_bytes);
        resident.Set(stat.resident_bytes);
        open_files.Set(OpenFiles());
        max_files.Set(Limit(RLIMIT_NOFILE));
        max_memory.Set(Limit(RLIMIT_AS));
        start.Set(StartSeconds());
        received.Set(traffic.received);
        sent.Set(traffic.sent);
      });
}

void AddStartTimeMetric(Registry& registry) {
  registry
      .AddGauge(
          {"process_start_time_seconds", "When the process started, in seconds since the epoch.", Stability::kAlpha})
      .Set(StartSeconds());
}

void AddBuildMetrics(Registry& registry, const BuildInfo& build) {
  Labelled<Gauge>& info = registry.AddGauge(
      {"kubernetes_build_info", "Always 1; the labels say what the process was built from.", Stability::kBeta},
      {"major", "minor", "git_version", "git_commit", "git_tree_state", "build_date", "go_version", "compiler",
       "platform"});
  const size_t dot = build.emulation.find('.');
  info.With(build.emulation.substr(0, dot), build.emulation.substr(dot + 1), build.git_version, "", "", "", "", "gcc",
            "linux/amd64")
      .Set(1);
  registry
      .AddGauge({"version_info", "Always 1; the labels say which version the process has and which it emulates."},
                {"component", "binary", "emulation", "min_compat"})
      .With("kube", build.git_version.substr(build.git_version.starts_with('v')), build.emulation,
            build.min_compatibility)
      .Set(1);
}

void AddFeatureMetrics(Registry& registry, const std::vector<FeatureState>& features) {
  Labelled<Gauge>& enabled = registry.AddGauge(
      {"kubernetes_feature_enabled", "1 if a feature is on, 0 if it is off.", Stability::kBeta}, {"name", "stage"});
  for (const FeatureState& feature : features) enabled.With(feature.name, feature.stage).Set(feature.enabled ? 1 : 0);
}

void AddMetaMetrics(Registry& registry) {
  static constexpr const char* kNames[] = {"", "ALPHA", "BETA", "STABLE"};
  Labelled<Counter>& registered = registry.AddCounter(
      {"registered_metrics_total", "Metrics that exist, by stability and by the version that deprecated them.",
       Stability::kBeta},
      {"stability_level", "deprecated_version"});
  Counter& hidden = registry.AddCounter({"hidden_metrics_total", "Metrics that are hidden.", Stability::kBeta});
  Counter& disabled = registry.AddCounter({"disabled_metrics_total", "Metrics that are disabled.", Stability::kBeta});
  Gauge& unexpected =
      registry.AddMeasuredCounter({"cardinality_enforcement_unexpected_categorizations_total",
                                   "Samples whose label had a value that is not among the allowed ones."});
  for (const auto& [name, family] : registry.families()) {
    const MetricInfo& info = family->info();
    if (info.stability == Stability::kUnstated) continue;
    if (registry.IsPrinted(info)) {
      registered.With(kNames[static_cast<size_t>(info.stability)], info.deprecated_since).Add();
    } else {
      info.hidden ? hidden.Add() : disabled.Add();
    }
  }
  registry.BeforePrinting(
      [&registry, &unexpected] { unexpected.Set(static_cast<double>(registry.unexpected_label_values())); });
}

}  // namespace berth::telemetry
