// SPDX-License-Identifier: Apache-2.0
#include "app/up/run.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "app/command_line/standard_output.h"
#include "app/up/access_files.h"
#include "app/up/attached_program.h"
#include "app/up/control_plane.h"
#include "app/up/published_access.h"
#include "app/up/temporary_directory.h"
#include "server/model/json.h"

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

// One line, for programs.
void GreetProgram(const ControlPlane& plane, const PublishedAccess& published, double ready_ms) {
  server::Json line = server::Json::MakeMap();
  line.Set("url", plane.url());
  line.Set("kubeconfig", published.path());
  line.Set("pid", server::Json::Int(getpid()));
  line.Set("readyMs", server::Json::Number(fmt::format("{:.1f}", ready_ms)));
  app::Print(line.ToText() + "\n");
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

// By which programs find it: what every client reads, and the address alone for those that read no kubeconfig.
AttachedProgram::Variables VariablesFor(const ControlPlane& plane, const PublishedAccess& published) {
  return {{"KUBECONFIG", published.path()}, {"KUBERNETES_MASTER", plane.url()}};
}

// What a shell would say of a program that it cannot run.
int ExitCodeOf(const Error& error) { return error.code == Code::kNotFound ? 127 : 126; }

// A control plane from its start to its end, and a program that may run on it.
class Session {
 public:
  explicit Session(Options& options) : options_(options) {}

  Result<void> Begin() {
    const auto began = std::chrono::steady_clock::now();
    if (!options_.program.empty() && !options_.is_kubeconfig_given && options_.context.empty()) {
      folder_.emplace(BERTH_TRY(TemporaryDirectory::Create("berth-up")));
      options_.kubeconfig = folder_->path() + "/kubeconfig";
      options_.is_kubeconfig_given = true;
    }
    plane_ = BERTH_TRY(ControlPlane::Create(loop_, options_));
    published_.emplace(PublishedAccess::Create(plane_->access(), plane_->port(), options_));
    ListenToSignals();
    if (!*published_) {
      Stop();
      return {};
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    if (options_.output == "json") GreetProgram(*plane_, **published_, took.count());
    if (!options_.is_quiet) Greet(*plane_, **published_, options_, took.count());
    if (options_.opens_browser) OpenBrowser(plane_->dashboard_url());
    if (!options_.program.empty()) StartProgram();
    return {};
  }

  // Returns the exit code.
  Result<int> Run() {
    loop_.Run();
    Withdraw();
    if (!*published_) return std::unexpected(published_->error());
    if (plane_->failure()) return std::unexpected(*plane_->failure());
    return exit_code_;
  }

 private:
  void ListenToSignals() {
    loop_.OnSignal(SIGINT, [this] { Obey(SIGINT); });
    loop_.OnSignal(SIGTERM, [this] { Obey(SIGTERM); });
    if (IsIgnored(SIGHUP)) return;
    // The terminal was closed. Both the system and a shell may say so, which is no hurry.
    loop_.OnSignal(SIGHUP, [this] {
      if (!is_stopping_) Obey(SIGHUP);
    });
  }

  // While a program runs, it decides when to end.
  void Obey(int signal) {
    if (program_ != nullptr && program_->is_running()) return program_->PassOn(signal);
    Stop();
  }

  void Stop() {
    Withdraw();
    if (std::exchange(is_stopping_, true)) _exit(kExitFailure);  // The second one: somebody is in a hurry.
    plane_->Stop([this] { loop_.Stop(); });
  }

  void Withdraw() {
    if (!*published_) return;
    if (const Result<void> gone = (*published_)->Withdraw(); !gone) {
      fmt::print(stderr, "berth up: {}\n", gone.error().message);
    }
  }

  void StartProgram() {
    auto started =
        AttachedProgram::Start(loop_, options_.program, VariablesFor(*plane_, **published_), [this](int exit_code) {
          exit_code_ = exit_code;
          Stop();
        });
    if (started) {
      program_ = *std::move(started);
      return;
    }
    fmt::print(stderr, "berth up: {}\n", started.error().message);
    exit_code_ = ExitCodeOf(started.error());
    Stop();
  }

  Options& options_;
  net::EventLoop loop_;
  std::optional<TemporaryDirectory> folder_;  // Of the kubeconfig that nobody named.
  std::unique_ptr<ControlPlane> plane_;
  std::optional<Result<PublishedAccess>> published_;
  std::unique_ptr<AttachedProgram> program_;
  int exit_code_ = 0;
  bool is_stopping_ = false;
};

Result<int> Run(Options& options) {
  options.gates = BERTH_TRY(scheduler_app::ResolveGateFlags(options.feature_gates));
  BERTH_CHECK_OK(ReadAccess(options));
  Session session(options);
  BERTH_CHECK_OK(session.Begin());
  return session.Run();
}

}  // namespace

int RunUp(Options options) {
  const Result<int> ran = Run(options);
  if (ran) return *ran;
  fmt::print(stderr, "berth up: {}\n", ran.error().message);
  return kExitFailure;
}

}  // namespace berth::up
