// SPDX-License-Identifier: Apache-2.0
// berth-sim: runs a simulation for one seed or many.

#include <fcntl.h>
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/worker_pool.h"
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
  berth::sim::CoreOutcome outcome = berth::sim::Simulate(seed, trace);
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

// Many seeds, several at a time. Failures are printed as they come, and now and then how far it is.
class Campaign {
 public:
  Campaign(const Mode& mode, uint64_t first, uint64_t count) : mode_(mode), first_(first), count_(count) {}

  // Returns how many failed. REQUIRES: workers > 0.
  uint64_t Run(size_t workers) {
    berth::runtime::WorkerPool(workers).Run([this] {
      for (uint64_t taken = next_++; taken < count_; taken = next_++) {
        Note(first_ + taken, mode_.simulate(first_ + taken, nullptr));
      }
    });
    return failed_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void Note(uint64_t seed, const Report& report) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (!report.failure.empty()) {
      ++failed_;
      Print(mode_, seed, report);
      std::fflush(stdout);
    }
    const Clock::time_point now = Clock::now();
    if (now - told_ < std::chrono::seconds(30)) return;
    told_ = now;
    const double elapsed_s = std::chrono::duration<double>(now - start_).count();
    const double left_min = elapsed_s / static_cast<double>(done_) * static_cast<double>(count_ - done_) / 60;
    fmt::print(stderr, "{} of {} seeds, {} failed, about {:.0f} minutes left\n", done_, count_, failed_, left_min);
  }

  const Mode& mode_;
  const uint64_t first_;
  const uint64_t count_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<uint64_t> next_ = 0;
  std::mutex mutex_;
  // Guarded by mutex_.
  uint64_t done_ = 0;
  uint64_t failed_ = 0;
  Clock::time_point told_ = start_;
};

int RunMany(const Mode& mode, uint64_t from, uint64_t count, uint64_t jobs) {
  const uint64_t failed = Campaign(mode, from, count).Run(jobs);
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

constexpr uint64_t kJobsMax = 256;

constexpr const char* kUsage =
    "Simulates the scheduler's core in an unreliable cluster, or whole schedulers on an unreliable network.\n\n"
    "  berth-sim [--protocol] --seed N [--trace]                 run one seed; --trace prints every input and effect\n"
    "  berth-sim [--protocol] --seeds FROM COUNT [--jobs N]      run many, N at a time; prints those that fail\n\n"
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
  const std::optional<uint64_t> count = args.size() > 2 ? Number(args[2]) : std::nullopt;
  std::optional<uint64_t> jobs = args.size() == 3 ? std::optional<uint64_t>(1) : std::nullopt;
  if (args.size() == 5 && args[3] == "--jobs") jobs = Number(args[4]);
  const bool jobs_make_sense = jobs && *jobs > 0 && *jobs <= kJobsMax;
  if (first && count && args[0] == "--seeds" && jobs_make_sense) return RunMany(mode, *first, *count, *jobs);
  fmt::print(stderr, "{}", kUsage);
  return 2;
}
