// SPDX-License-Identifier: Apache-2.0
// What must stay flat: an hour in which pods come and go, and pods that wait for a place that there is not.
//
//   endurance                                   both, on 5,000 nodes with 150,000 pods
//   endurance --minutes 10 --rate 200           a shorter hour
//   endurance --waiting 10000                   fewer pods that wait
//
// Time is virtual, and one core does the work, as in cycle_curve. In the hour so many pods a second come, are bound and
// go ten minutes later, of templates that come and go too. For each tenth of it: CPU time from a pod's arrival to its
// binding, and the bytes in use. Then pods come that fit nowhere, a thousand templates of them: the bytes that each
// costs, and the CPU time of pods that fit, before and while the others wait.

#include <fmt/format.h>
#include <malloc.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cycle_workloads.h"

namespace berth {
namespace {

using namespace bench;

struct Options {
  int nodes = 5'000;
  int pods = 150'000;
  int minutes = 60;
  int rate = 500;
  int waiting = 100'000;
};

double CpuMicroseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

double At(std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(static_cast<double>(sorted.size() - 1) * share)];
}

struct Latency {
  double median = 0;
  double of_99 = 0;  // 99 of 100 are not above.
};

Latency Summary(std::vector<double>& samples) {
  std::ranges::sort(samples);
  return {At(samples, 0.5), At(samples, 0.99)};
}

// A core and the virtual time at which things happen to it.
class Life {
 public:
  explicit Life(const Options& options) : core_(MakeCore(options.nodes)) {
    AddPods(*core_, options.nodes, options.pods);
  }

  // CPU time from the pod's arrival to its decision, in microseconds.
  double Arrive(api::Pod pod) {
    const double before = CpuMicroseconds();
    core_->Step({now_, scheduler::PutObject{pod}});
    const std::vector<scheduler::IssuedEffect> effects = core_->Step({now_, scheduler::ScheduleNext{}});
    const double took = CpuMicroseconds() - before;
    Carry(*core_, std::move(pod), effects, now_);
    return took;
  }

  void Leave(const std::string& name) { core_->Step({now_, scheduler::RemoveObject{"Pod", "default", name}}); }

  // What became due by then happens; pods that are tried again find nothing new.
  void PassSecond() {
    now_ = now_ + Seconds(1);
    core_->Step({now_, scheduler::PassTime{}});
    while (core_->HasWork()) core_->Step({now_, scheduler::ScheduleNext{}});
  }

 private:
  std::unique_ptr<scheduler::Core> core_;
  Time now_ = kNow;
};

cluster::PodBuilder Pod(const std::string& name, const std::string& app) {
  cluster::PodBuilder pod(name);
  pod.SchedulerName("default-scheduler").Label("app", app).Request("cpu", "100m").Request("memory", "128Mi");
  return pod;
}

// A template lives for about a minute.
cluster::PodBuilder Passing(int64_t index, int rate) {
  const std::string app = fmt::format("passing-{}", index / (int64_t{rate} * 60) * 20 + index % 20);
  cluster::PodBuilder pod = Pod(fmt::format("passing-{}", index), app);
  if (index % 4 == 0) pod.Spread(5, "topology.kubernetes.io/zone", "DoNotSchedule", {{"app", app}});
  if (index % 4 == 1) pod.PreferredAntiAffinity(5, cluster::Term("kubernetes.io/hostname", {{"app", app}}));
  return pod;
}

void Churn(Life& life, const Options& options) {
  fmt::print("{} pods a second for {} minutes, each for ten minutes\n", options.rate, options.minutes);
  fmt::print("{:>12}{:>14}{:>14}{:>12}\n", "minute", "us, half", "us, 99 %", "MB in use");
  const int seconds = options.minutes * 60;
  std::deque<std::string> there;
  std::vector<double> took;
  int64_t index = 0;
  for (int second = 1; second <= seconds; ++second) {
    for (int i = 0; i < options.rate; ++i, ++index) {
      api::Pod pod = Passing(index, options.rate).Build();
      there.push_back(pod.meta.name);
      took.push_back(life.Arrive(std::move(pod)));
      if (there.size() > static_cast<size_t>(options.rate) * 600) {
        life.Leave(there.front());
        there.pop_front();
      }
    }
    life.PassSecond();
    if (second % std::max(1, seconds / 10) != 0) continue;
    const Latency latency = Summary(took);
    fmt::print("{:>12.1f}{:>14.1f}{:>14.1f}{:>12.1f}\n", second / 60.0, latency.median, latency.of_99,
               BytesInUse() / 1e6);
    std::fflush(stdout);
    took.clear();
  }
  for (const std::string& name : there) life.Leave(name);
}

// CPU time of pods that fit; they go at once.
Latency OfThoseThatFit(Life& life, const std::string& prefix) {
  std::vector<double> took;
  for (int i = 0; i < 5'000; ++i) {
    const std::string name = fmt::format("{}-{}", prefix, i);
    took.push_back(life.Arrive(Pod(name, prefix).Build()));
    life.Leave(name);
    if (i % 100 == 99) life.PassSecond();
  }
  return Summary(took);
}

void Wait(Life& life, const Options& options) {
  const Latency before = OfThoseThatFit(life, "before");
  std::vector<double> took;
  const double bytes = BytesInUse();
  for (int i = 0; i < options.waiting; ++i) {
    const std::string app = fmt::format("waiting-{}", i % 1'000);
    took.push_back(life.Arrive(Pod(fmt::format("waiting-{}", i), app)
                                   .Request("cpu", fmt::format("{}", 100 + i % 1'000).c_str())
                                   .PreemptionPolicy("Never")
                                   .Build()));
  }
  const double per_pod = (BytesInUse() - bytes) / options.waiting;
  const Latency turned_down = Summary(took);
  const Latency meanwhile = OfThoseThatFit(life, "meanwhile");
  fmt::print("\n{} pods wait that fit nowhere, {:.0f} bytes each\n", options.waiting, per_pod);
  fmt::print("{:<28}{:>14}{:>14}\n", "", "us, half", "us, 99 %");
  fmt::print("{:<28}{:>14.1f}{:>14.1f}\n", "they were turned down", turned_down.median, turned_down.of_99);
  fmt::print("{:<28}{:>14.1f}{:>14.1f}\n", "pods that fit, before", before.median, before.of_99);
  fmt::print("{:<28}{:>14.1f}{:>14.1f}\n", "pods that fit, meanwhile", meanwhile.median, meanwhile.of_99);
}

int Run(int argc, char** argv) {
  Options options;
  CLI::App app("What must stay flat: churn, and pods that wait");
  app.add_option("--nodes", options.nodes, "Number of nodes")->check(CLI::Range(1, 1'000'000));
  app.add_option("--pods", options.pods, "Pods that are there all the time")->check(CLI::Range(0, 10'000'000));
  app.add_option("--minutes", options.minutes, "How long pods come and go; 0: not at all")
      ->check(CLI::Range(0, 100'000));
  app.add_option("--rate", options.rate, "Pods that come in a second")->check(CLI::Range(1, 100'000));
  app.add_option("--waiting", options.waiting, "Pods that fit nowhere; 0: none")->check(CLI::Range(0, 10'000'000));
  CLI11_PARSE(app, argc, argv);
  Life life(options);
  if (options.minutes > 0) Churn(life, options);
  if (options.waiting > 0) Wait(life, options);
  return 0;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) { return berth::Run(argc, argv); }
