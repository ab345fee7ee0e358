// SPDX-License-Identifier: Apache-2.0
// Sources: where a question finds the cluster that it is about. All commands that ask have the same flags for it.
//
//   --cluster PATH...       manifests or a dump; the world is theirs, controllers included
//   --kubeconfig FILE       a live cluster, which is listed once; --context names another than the current one
//   --log FILE --at TIME    a recording, replayed up to a moment
//   --berth URL             a running Berth, which is asked (see AskBerth), as the user of a kubeconfig, by a token or
//                           by a certificate
//
// Thread: one.

#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/access/server_access.h"
#include "explain/pacer.h"
#include "explain/surroundings.h"
#include "framework/feature_gates.h"
#include "framework/registry.h"
#include "scheduler/core.h"

namespace berth::ask {

struct SourceOptions {
  std::vector<std::string> cluster;
  std::string kubeconfig;
  client::AccessOverrides access;  // The server is that of --berth; empty: none is asked.
  std::string log;
  std::string at;
  std::string config;
  std::vector<std::string> feature_gates;
  std::optional<uint64_t> seed;
  std::string output = "table";
  const framework::Registry* plugins = nullptr;

  bool asks_berth() const { return !access.server.empty(); }
};

enum class SourceFlags : uint8_t { kAll, kWithoutConfig };  // Of a command that is given several configurations.
// REQUIRES: the options live as long as the command.
void AddSourceFlags(CLI::App& command, SourceOptions& options, SourceFlags flags = SourceFlags::kAll);

// A cluster at a moment, in which nothing moves, with the core of its scheduler.
class Situation {
 public:
  // Fails if the source cannot be read, or makes no sense. REQUIRES: !options.asks_berth().
  static Result<std::unique_ptr<Situation>> Open(const SourceOptions& options, explain::Pacer& pacer);

  explain::Surroundings& surroundings() { return *surroundings_; }
  scheduler::Core& core() { return *core_; }
  const framework::FeatureGates& gates() const { return gates_; }
  Time now() const { return surroundings_->now(); }

 private:
  Situation(std::unique_ptr<scheduler::Core> core, const framework::FeatureGates& gates, Time now,
            explain::Surroundings::Past past)
      : gates_(gates),
        core_(std::move(core)),
        surroundings_(std::make_unique<explain::Surroundings>(*core_, gates_, now, past)) {}
  static Result<std::unique_ptr<Situation>> OpenLog(const SourceOptions& options);

  framework::FeatureGates gates_;
  std::unique_ptr<scheduler::Core> core_;
  std::unique_ptr<explain::Surroundings> surroundings_;
};

// Sends a question to a running Berth and returns its answer, JSON. `path` is that below /berth/v1/, with its query.
Result<std::string> AskBerth(const SourceOptions& options, std::string_view method, std::string_view path,
                             std::string body);

// The answer in the form that was asked for: JSON as it is, or as YAML.
Result<std::string> Formatted(const SourceOptions& options, const std::string& json);

// Tells on terminals that something takes longer than a second.
class Progress : public explain::Pacer {
 public:
  Progress();
  ~Progress() override;
  Result<void> Pause() override;

 private:
  bool is_shown_;
  bool was_shown_ = false;
  int64_t begin_millis_ = 0;
  uint64_t steps_ = 0;
};

}  // namespace berth::ask
