// SPDX-License-Identifier: Apache-2.0
// berth-sim: runs a simulation for one seed or many.

#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/simulation.h"
#include "sim/protocol/protocol_simulation.h"
#include "telemetry/log.h"

namespace {

using Trace = std::function<void(const std::string&)>;

struct Report {
  std::string summary;
  std::string failure;
};

Report SimulateCore(uint64_t seed, const Trace& trace) {
  berth::sim::Outcome outcome = berth::sim::Simulate(seed, trace);
  return {fmt::format("{} steps, {} effects, {} pods bound, {} evictions, hash {:016x}", outcome.steps, outcome.effects,
                      outcome.binds, outcome.evictions, outcome.effect_hash),
          std::move(outcome.failure)};
}

Report SimulateProtocol(uint64_t seed, const Trace& trace) {
  berth::sim::ProtocolOutcome outcome = berth::sim::SimulateProtocol(seed, trace);
  return {fmt::format("{} requests, {} pods bound, {} instances, {} leaders, hash {:016x}", outcome.requests,
                      outcome.bindings, outcome.instances, outcome.leaders, outcome.request_hash),
          std::move(outcome.failure)};
}

struct Mode {
  Report (*simulate)(uint64_t seed, const Trace& trace) = SimulateCore;
  std::string_view flag = "";
};

void Print(const Mode& mode, uint64_t seed, const Report& report) {
  fmt::print("seed {}: {}: {}\n", seed, report.summary, report.failure.empty() ? "ok" : "FAILED");
  if (!report.failure.empty())
    fmt::print("  {}\n  replay: berth-sim {}--seed {} --trace\n", report.failure, mode.flag, seed);
}

int RunOne(const Mode& mode, uint64_t seed, bool trace) {
  const Trace print = [](const std::string& line) { fmt::print("{}\n", line); };
  const Report report = mode.simulate(seed, trace ? print : nullptr);
  Print(mode, seed, report);
  return report.failure.empty() ? 0 : 1;
}

int RunMany(const Mode& mode, uint64_t from, uint64_t count) {
  uint64_t failed = 0;
  for (uint64_t seed = from; seed < from + count; ++seed) {
    const Report report = mode.simulate(seed, nullptr);
    if (report.failure.empty()) continue;
    Print(mode, seed, report);
    std::fflush(stdout);
    ++failed;
  }
  fmt::print("{} seeds from {}: {} failed\n", count, from, failed);
  return failed == 0 ? 0 : 1;
}

// Failures are what a simulation is about; the log of them would only be in the way.
void SilenceLog() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  (void)berth::telemetry::ConfigureLog({.split_stream = true, .info_fd = nowhere, .error_fd = nowhere});
}

std::optional<uint64_t> Number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

constexpr const char* kUsage =
    "Simulates the scheduler's core in an unreliable cluster, or whole schedulers on an unreliable network.\n\n"
    "  berth-sim [--protocol] --seed N [--trace]     run one seed; --trace prints every input and effect\n"
    "  berth-sim [--protocol] --seeds FROM COUNT     run many; prints those that fail\n\n"
    "  --protocol     simulate live schedulers with their client, from lists to leader election\n";

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> args(argv + 1, argv + argc);
  Mode mode;
  if (!args.empty() && args[0] == "--protocol") {
    mode = {SimulateProtocol, "--protocol "};
    args.erase(args.begin());
  }
  SilenceLog();
  const bool trace = args.size() == 3 && args[2] == "--trace";
  const std::optional<uint64_t> first = args.size() > 1 ? Number(args[1]) : std::nullopt;
  if (first && args[0] == "--seed" && (args.size() == 2 || trace)) return RunOne(mode, *first, trace);
  const std::optional<uint64_t> count = args.size() == 3 ? Number(args[2]) : std::nullopt;
  if (first && count && args[0] == "--seeds") return RunMany(mode, *first, *count);
  fmt::print(stderr, "{}", kUsage);
  return 2;
}
