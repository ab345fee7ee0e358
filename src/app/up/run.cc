// SPDX-License-Identifier: Apache-2.0
#include "app/up/run.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "app/up/control_plane.h"
#include "client/private_file.h"

namespace berth::up {
namespace {

constexpr int kExitFailure = 1;

std::string Kubeconfig(const ControlPlane& plane, const Options& options) {
  std::string cluster = fmt::format("    server: {}\n", plane.url());
  if (!options.tls_cert_file.empty()) cluster += fmt::format("    certificate-authority: {}\n", options.tls_cert_file);
  const std::string user = options.token.empty() ? "{}" : fmt::format("\n    token: {}", options.token);
  return fmt::format(
      "apiVersion: v1\nkind: Config\nclusters:\n- name: berth\n  cluster:\n{}users:\n- name: berth\n  user: {}\n"
      "contexts:\n- name: berth\n  context:\n    cluster: berth\n    user: berth\ncurrent-context: berth\n",
      cluster, user);
}

void Greet(const ControlPlane& plane, const Options& options, double ready_ms) {
  fmt::print("Berth is up at {} ({:.0f} ms)\n", plane.url(), ready_ms);
  if (options.runs_cluster) fmt::print("  nodes:     {}, simulated\n", plane.node_count());
  fmt::print("  scheduler: {}\n", options.runs_scheduler ? "Berth" : "none");
  if (!options.data_directory.empty()) fmt::print("  data:      {}\n", options.data_directory);
  fmt::print("\n  export KUBECONFIG={}\n  kubectl get nodes\n\nCtrl-C stops it.\n", options.kubeconfig);
  std::fflush(stdout);
}

Result<void> Run(const Options& options) {
  const auto began = std::chrono::steady_clock::now();
  net::EventLoop loop;
  const std::unique_ptr<ControlPlane> plane = BERTH_TRY(ControlPlane::Create(loop, options));
  BERTH_CHECK_OK(client::WritePrivateFile(options.kubeconfig, Kubeconfig(*plane, options)));
  bool is_stopping = false;
  const auto stop = [&] {
    if (std::exchange(is_stopping, true)) _exit(kExitFailure);  // The second one: somebody is in a hurry.
    plane->Stop([&loop] { loop.Stop(); });
  };
  loop.OnSignal(SIGINT, stop);
  loop.OnSignal(SIGTERM, stop);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  if (!options.is_quiet) Greet(*plane, options, took.count());
  loop.Run();
  if (plane->failure()) return std::unexpected(*plane->failure());
  return {};
}

}  // namespace

int RunUp(const Options& options) {
  const Result<void> ran = Run(options);
  if (ran) return 0;
  fmt::print(stderr, "berth up: {}\n", ran.error().message);
  return kExitFailure;
}

}  // namespace berth::up
