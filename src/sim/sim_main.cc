// SPDX-License-Identifier: Apache-2.0
// berth-sim: runs the simulation for one seed or many.

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/simulation.h"

namespace {

void Print(uint64_t seed, const berth::sim::Outcome& outcome) {
  fmt::print("seed {}: {} steps, {} effects, {} pods bound, {} evictions, hash {:016x}: {}\n", seed, outcome.steps,
             outcome.effects, outcome.binds, outcome.evictions, outcome.effect_hash,
             outcome.failure.empty() ? "ok" : "FAILED");
  if (!outcome.failure.empty()) fmt::print("  {}\n  replay: berth-sim --seed {} --trace\n", outcome.failure, seed);
}

int RunOne(uint64_t seed, bool trace) {
  const auto outcome = trace ? berth::sim::Simulate(seed, [](const std::string& line) { fmt::print("{}\n", line); })
                             : berth::sim::Simulate(seed);
  Print(seed, outcome);
  return outcome.failure.empty() ? 0 : 1;
}

int RunMany(uint64_t from, uint64_t count) {
  uint64_t failed = 0;
  for (uint64_t seed = from; seed < from + count; ++seed) {
    const auto outcome = berth::sim::Simulate(seed);
    if (outcome.failure.empty()) continue;
    Print(seed, outcome);
    ++failed;
  }
  fmt::print("{} seeds from {}: {} failed\n", count, from, failed);
  return failed == 0 ? 0 : 1;
}

std::optional<uint64_t> Number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

constexpr const char* kUsage =
    "Simulates the scheduler's core in an unreliable cluster.\n\n"
    "  berth-sim --seed N [--trace]     run one seed; --trace prints every input and effect\n"
    "  berth-sim --seeds FROM COUNT     run many; prints those that fail\n";

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> args(argv + 1, argv + argc);
  const bool trace = args.size() == 3 && args[2] == "--trace";
  const std::optional<uint64_t> first = args.size() > 1 ? Number(args[1]) : std::nullopt;
  if (first && args[0] == "--seed" && (args.size() == 2 || trace)) return RunOne(*first, trace);
  const std::optional<uint64_t> count = args.size() == 3 ? Number(args[2]) : std::nullopt;
  if (first && count && args[0] == "--seeds") return RunMany(*first, *count);
  fmt::print(stderr, "{}", kUsage);
  return 2;
}
