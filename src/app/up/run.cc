// SPDX-License-Identifier: Apache-2.0
#include "app/up/run.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "app/command_line/standard_output.h"
#include "app/up/control_plane.h"
#include "app/up/published_access.h"

namespace berth::up {
namespace {

constexpr int kExitFailure = 1;

void Greet(const ControlPlane& plane, const PublishedAccess& published, const Options& options, double ready_ms) {
  app::Print(fmt::format("Berth is up at {} ({:.0f} ms)\n", plane.url(), ready_ms));
  if (options.runs_cluster) app::Print(fmt::format("  nodes:     {}, simulated\n", plane.node_count()));
  if (!options.devices_file.empty()) app::Print(fmt::format("  devices:   {}\n", options.devices_file));
  app::Print(fmt::format("  scheduler: {}\n", options.runs_scheduler ? "Berth" : "none"));
  if (options.runs_scheduler) app::Print(fmt::format("  dashboard: {}\n", plane.dashboard_url()));
  if (!options.data_directory.empty()) app::Print(fmt::format("  data:      {}\n", options.data_directory));
  if (!options.feature_gates.empty()) {
    app::Print(fmt::format("  gates:     {}\n", fmt::join(options.feature_gates, ",")));
  }
  if (!options.record_file.empty()) app::Print(fmt::format("  recording: {}\n", options.record_file));
  app::Print(fmt::format("\n{}\nCtrl-C stops it.\n", published.Instructions()));
  app::FlushOutput();
}

// Has a browser show it, if there is one. The shell starts what finds one and ends at once.
void OpenBrowser(std::string url) {
  std::string shell = "sh", option = "-c", name = "sh";
  std::string script = "command -v xdg-open >/dev/null && xdg-open \"$1\" </dev/null >/dev/null 2>&1 &";
  char* const arguments[] = {shell.data(), option.data(), script.data(), name.data(), url.data(), nullptr};
  pid_t process = 0;
  if (posix_spawnp(&process, "sh", nullptr, nullptr, arguments, environ) == 0) waitpid(process, nullptr, 0);
}

// Whether whoever started this process wants it to outlive a signal, as nohup does.
bool IsIgnored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

Result<void> Run(Options& options) {
  options.gates = BERTH_TRY(scheduler_app::ResolveGateFlags(options.feature_gates));
  const auto began = std::chrono::steady_clock::now();
  net::EventLoop loop;
  const std::unique_ptr<ControlPlane> plane = BERTH_TRY(ControlPlane::Create(loop, options));
  Result<PublishedAccess> published = PublishedAccess::Create(plane->access(), plane->port(), options);
  const auto withdraw = [&] {
    if (!published) return;
    if (const Result<void> gone = published->Withdraw(); !gone) {
      fmt::print(stderr, "berth up: {}\n", gone.error().message);
    }
  };
  bool is_stopping = false;
  const auto stop = [&] {
    withdraw();
    if (std::exchange(is_stopping, true)) _exit(kExitFailure);  // The second one: somebody is in a hurry.
    plane->Stop([&loop] { loop.Stop(); });
  };
  if (!published) stop();
  loop.OnSignal(SIGINT, stop);
  loop.OnSignal(SIGTERM, stop);
  if (!IsIgnored(SIGHUP)) {
    // The terminal was closed. Both the system and a shell may say so, which is no hurry.
    loop.OnSignal(SIGHUP, [&] {
      if (!is_stopping) stop();
    });
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  if (published && !options.is_quiet) Greet(*plane, *published, options, took.count());
  if (published && options.opens_browser) OpenBrowser(plane->dashboard_url());
  loop.Run();
  withdraw();
  if (!published) return std::unexpected(published.error());
  if (plane->failure()) return std::unexpected(*plane->failure());
  return {};
}

}  // namespace

int RunUp(Options options) {
  const Result<void> ran = Run(options);
  if (ran) return 0;
  fmt::print(stderr, "berth up: {}\n", ran.error().message);
  return kExitFailure;
}

}  // namespace berth::up
