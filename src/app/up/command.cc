// SPDX-License-Identifier: Apache-2.0
#include "app/up/command.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "api/parts/quantity.h"
#include "app/up/run.h"
#include "net/address.h"
#include "server/browser_guard.h"

namespace berth::up {
namespace {

constexpr std::string_view kDescription =
    R"(Runs a Kubernetes control plane in this process: an API server, simulated nodes and controllers,
and the scheduler. kubectl and programs written with any Kubernetes client work on it.)";

constexpr std::string_view kFooter =
    R"(It writes a kubeconfig, and stops on Ctrl-C. Without --data nothing is left behind.

Examples:
  berth up                                three nodes, Berth's scheduler
  berth up --open                         the same, and its dashboard
  berth up --nodes 100 --data ./cluster   a hundred nodes, kept across restarts
  berth up --devices gpus.yaml            nodes with devices that pods can claim
  berth up --config scheduler.yaml        try a KubeSchedulerConfiguration
  berth up --feature-gates GenericWorkload=true   schedule groups of pods
  berth up --no-scheduler                 bring your own scheduler
  berth up --api-only                     nothing acts but the API server
  berth up --wait -- go test ./...        a cluster for as long as the tests run)";

// Why it is none; empty: it is one.
std::string IpAddress(const std::string& text) {
  return net::IsHostAddress(text) ? std::string() : text + " is no IP address";
}

// It is sent in a header, between other words.
std::string Token(const std::string& text) {
  const bool is_visible = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  const bool is_padded = text.starts_with(' ') || text.ends_with(' ');
  return is_visible && !is_padded ? std::string() : "a token has visible ASCII characters only, and no space around it";
}

std::string Size(const std::string& text) {
  const Result<api::Quantity> size = api::Quantity::Parse(text);
  return size && size->Value() >= 0 ? std::string() : text + " is no size such as 64Mi";
}

std::string HostPattern(const std::string& text) {
  return server::IsHostPattern(text) ? std::string() : text + " is no host name; ports and URLs are not given here";
}

}  // namespace

void AddCommand(CLI::App& app, const framework::Registry& plugins, int& exit_code) {
  const auto options = std::make_shared<Options>();
  options->plugins = &plugins;
  CLI::App* command = app.add_subcommand("up", std::string(kDescription));
  command->footer(std::string(kFooter));
  CLI::Option* nodes = command->add_option("--nodes", options->nodes, "How many simulated nodes to make")
                           ->check(CLI::Range(0U, 100'000U))
                           ->type_name("N")
                           ->capture_default_str();
  CLI::Option* nodes_file =
      command->add_option("--nodes-file", options->nodes_file, "The nodes to make, by shapes (docs/up.md)")
          ->type_name("FILE")
          ->excludes(nodes);
  CLI::Option* devices =
      command->add_option("--devices", options->devices_file, "The devices of the nodes, as manifests (docs/up.md)")
          ->type_name("FILE");
  CLI::Option* behaviour =
      command->add_option("--behaviour", options->behaviour_file, "How pods and nodes behave (docs/up.md)")
          ->type_name("FILE");
  CLI::Option* port =
      command->add_option("--port", options->port, "Port to serve on; 0 takes any free one, as does a default in use")
          ->type_name("PORT")
          ->capture_default_str();
  command->add_option("--listen", options->listen, "Address to serve on; beyond loopback TLS and a token are needed")
      ->check(IpAddress)
      ->type_name("ADDRESS")
      ->capture_default_str();
  command
      ->add_option("--allowed-host", options->allowed_hosts,
                   "Name in URLs by which clients may reach it, besides the certificate's; can be repeated")
      ->check(HostPattern)
      ->allow_extra_args(false)
      ->type_name("NAME");
  CLI::Option* data =
      command->add_option("--data", options->data_directory, "Keep the objects in this directory")->type_name("DIR");
  command->add_flag("--salvage", options->salvages, "Go on without what is damaged in the data directory, and say so")
      ->needs(data);
  command->add_option("--import", options->import_file, "Begin with the objects of a `kubectl get -o yaml` dump")
      ->type_name("FILE");
  command->add_flag("--import-over", options->imports_over, "Import also over what the data directory holds")
      ->needs("--import");
  CLI::Option* config =
      command->add_option("--config", options->scheduler_config, "KubeSchedulerConfiguration of the scheduler")
          ->type_name("FILE");
  CLI::Option* policy =
      command->add_option("--policy-config-file", options->policy_config_file, "Legacy Policy in place of profiles")
          ->type_name("FILE");
  command->add_option("--policy-compat", options->policy_compat, "Release whose reading of the Policy applies")
      ->check(CLI::IsMember({"v1.16", "v1.21", "v1.22"}))
      ->needs(policy)
      ->type_name("v1.16|v1.21|v1.22")
      ->capture_default_str();
  command
      ->add_option("--feature-gates", options->feature_gates,
                   "Gates of server and scheduler, such as A=true,B=false; can be repeated")
      ->allow_extra_args(false)
      ->type_name("GATES");
  CLI::Option* kubeconfig =
      command->add_option("--kubeconfig", options->kubeconfig, "Where to write the kubeconfig; it goes in the end")
          ->type_name("FILE")
          ->capture_default_str();
  command->add_option("--context", options->context, "Add this context to your own kubeconfig, until the end")
      ->type_name("NAME");
  command->add_flag("--keep-kubeconfig", options->keeps_kubeconfig, "Leave kubeconfig and context in the end");
  command->add_option("--token", options->token, "Token that clients must show; also taken from BERTH_TOKEN")
      ->envname("BERTH_TOKEN")
      ->check(Token)
      ->type_name("TOKEN");
  command
      ->add_option("--token-auth-file", options->token_auth_file, "Users and their tokens: token,user,uid,\"groups\"")
      ->type_name("FILE");
  command->add_option("--tls-cert-file", options->tls_cert_file, "Certificate to serve with")->type_name("FILE");
  command
      ->add_option("--client-ca-file", options->client_ca_file, "Who signs certificates of clients (CN user, O groups)")
      ->needs("--tls-cert-file")
      ->type_name("FILE");
  command->add_option("--authorization", options->authorization, "Who may do what: rbac asks roles; none: all do all")
      ->check(CLI::IsMember({std::string("none"), std::string(kRbac)}))
      ->type_name("none|rbac")
      ->capture_default_str();
  command->add_option("--tls-private-key-file", options->tls_key_file, "Its key")->type_name("FILE");
  command->add_flag_callback(
             "--no-scheduler", [options] { options->runs_scheduler = false; }, "Schedule nothing")
      ->excludes(config)
      ->excludes(policy);
  command
      ->add_flag_callback(
          "--api-only",
          [options] {
            options->runs_scheduler = false;
            options->runs_cluster = false;
          },
          "Run the API server alone: no nodes, no controllers, no scheduler")
      ->excludes(config)
      ->excludes(policy)
      ->excludes(nodes)
      ->excludes(nodes_file)
      ->excludes(devices)
      ->excludes(behaviour);
  command
      ->add_option(
          "--seed", options->seed,
          "Choose among equally good nodes, and let pods and nodes behave, by this seed; without it by another "
          "each time")
      ->type_name("N");
  command->add_option("--record", options->record_file, "Record what the scheduler sees, for `berth replay`")
      ->excludes("--no-scheduler")
      ->excludes("--api-only")
      ->type_name("FILE");
  command
      ->add_option("--decision-records", options->decision_records,
                   "Memory for the last attempts of pods, for those who ask why; 0 keeps none")
      ->check(Size)
      ->excludes("--no-scheduler")
      ->excludes("--api-only")
      ->type_name("SIZE")
      ->capture_default_str();
  command->add_flag("--open", options->opens_browser, "Open the dashboard in a browser")
      ->excludes("--no-scheduler")
      ->excludes("--api-only");
  command->add_flag("--quiet", options->is_quiet, "Print nothing but errors");
  CLI::Option* wait =
      command->add_flag("--wait", options->waits, "Run COMMAND with KUBECONFIG set, and end with it and its exit code");
  CLI::Option* program = command->add_option("command", options->program, "What --wait runs, behind --")
                             ->needs(wait)
                             ->type_name("COMMAND");
  wait->needs(program);
  command->add_option("--output,-o", options->output, "How to say where it is up")
      ->check(CLI::IsMember({"text", "json"}))
      ->excludes(wait)
      ->type_name("text|json")
      ->capture_default_str();
  command->callback([options, port, nodes, kubeconfig, &exit_code] {
    options->is_kubeconfig_given = kubeconfig->count() > 0;
    options->is_port_given = port->count() > 0;
    if (options->waits && !options->is_port_given) options->port = 0;  // Nobody has to know it.
    // Programs read what is printed, or have the output to themselves.
    if (options->waits || options->output == "json") options->is_quiet = true;
    options->are_nodes_given = nodes->count() > 0;
    exit_code = RunUp(*options);
  });
}

}  // namespace berth::up
