// SPDX-License-Identifier: Apache-2.0
// ExecCredentials: credentials that a command of the user's prints, in client.authentication.k8s.io/v1 or v1beta1.
//
// The command is run when credentials are needed and none are there, when they have expired, and when the server
// refused them; never twice at the same time, and never with a terminal. It may give a token, a client certificate, or
// both.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/access/credentials.h"
#include "runtime/timers.h"

namespace berth::client {

// A command and what it is given; a name without a slash is looked for in PATH. No shell is involved.
struct Command {
  std::string program;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // Besides that of this process.
};

struct CommandOutput {
  int exit_code = 0;
  std::string text;  // Of its standard output.
};

class CommandRunner {
 public:
  using Done = std::move_only_function<void(Result<CommandOutput>)>;

  virtual ~CommandRunner() = default;
  // `done` is called later, on the thread of the caller, and not at all if the runner goes first. Code::kNotFound:
  // there is no such program.
  virtual void Run(Command command, Done done) = 0;
};

struct ExecConfig {
  Command command;
  std::string api_version;
  std::string interactive_mode;  // Never, IfAvailable or Always; the last cannot be served.
  std::string install_hint;
  std::string cluster_json;  // What the command is told about the server; "": nothing.
};

struct ClientIdentity {
  std::string certificate_pem;
  std::string key_pem;

  bool operator==(const ClientIdentity&) const = default;
};
using OnIdentity = std::function<void(const ClientIdentity&)>;

// `on_identity` hears of each new client certificate before the request that waits for it goes out. The runner and the
// timers must outlive the credentials.
std::unique_ptr<Credentials> ExecCredentials(runtime::Timers& timers, CommandRunner& runner, ExecConfig config,
                                             OnIdentity on_identity);

}  // namespace berth::client
