// SPDX-License-Identifier: Apache-2.0
// Options: what `berth up` was asked for.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/scheduler/flags/gates.h"
#include "plugins/registry.h"
#include "server/access/access_control.h"

namespace berth::up {

inline constexpr std::string_view kRbac = "rbac";

struct Options {
  std::string listen = "127.0.0.1";  // An IP address.
  uint16_t port = 6443;              // 0: any free one.
  bool is_port_given = false;        // Otherwise another one will do.
  uint32_t nodes = 3;
  bool are_nodes_given = false;  // Otherwise none are made if there are some already.
  std::string nodes_file;
  std::string devices_file;               // Of the nodes; empty: they have none.
  std::string behaviour_file;             // Of pods and nodes; empty: they behave well.
  std::string data_directory;             // Empty: nothing outlives the process.
  bool salvages = false;                  // Leaves out what is damaged there.
  std::string import_file;                // Empty: none.
  bool imports_over = false;              // Also over objects that the data directory has.
  std::optional<uint64_t> seed;           // Of the choice among equally good nodes; absent: any.
  std::string record_file;                // Of the scheduler's inputs; empty: none.
  std::string decision_records = "32Mi";  // Memory for the last attempts of pods; 0: none are kept.
  std::string scheduler_config;           // Empty: upstream's defaults.
  std::string policy_config_file;         // Empty: no legacy Policy.
  std::string policy_compat = "v1.22";
  std::string kubeconfig = "berth.kubeconfig";  // Empty: none is written.
  bool is_kubeconfig_given = false;             // Otherwise another name will do.
  bool keeps_kubeconfig = false;                // When the process ends.
  std::string context;                          // To add to the user's own kubeconfig; empty: none.
  std::string token;                            // The administrator's; empty: nobody is asked who they are.
  std::string token_auth_file;                  // Of users; empty: there are none.
  std::string client_ca_file;                   // Empty: no certificates are asked for.
  std::string authorization = "none";           // Or kRbac.
  std::string client_ca_pem;                    // What is in that file.
  server::AccessOptions access;                 // What comes of all this.
  std::vector<std::string> allowed_hosts;  // That it is known by, besides loopback, `listen` and the certificate's.
  std::string tls_cert_file;
  std::string tls_key_file;
  std::vector<std::string> feature_gates;  // As given: values of the flag.
  scheduler_app::GateSettings gates;       // What comes of them.
  bool runs_scheduler = true;
  bool runs_cluster = true;          // Nodes and controllers.
  bool waits = false;                // For a program:
  std::vector<std::string> program;  // with its arguments; empty if it does not wait.
  std::string output = "text";       // Or json: of the greeting.
  bool is_quiet = false;
  bool opens_browser = false;                                // On the dashboard.
  const framework::Registry* plugins = &plugins::BuiltIn();  // That profiles may enable.
};

}  // namespace berth::up
