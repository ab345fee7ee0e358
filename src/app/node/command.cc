// SPDX-License-Identifier: Apache-2.0
#include "app/node/command.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "app/command_line/default_kubeconfig.h"
#include "app/node/run.h"

namespace berth::node {
namespace {

constexpr int kExitFailure = 1;

constexpr std::string_view kDescription = R"(Adds, removes and changes simulated nodes of a running `berth up`.)";

constexpr std::string_view kFooter =
    R"(The cluster is the one that --kubeconfig names, else $KUBECONFIG, else the
file berth.kubeconfig in this folder.

Exit code: 0 everything was done, 1 something was refused or could not be
reached, 2 bad flags.

Examples:
  berth node add 5
  berth node add 2 --like gpu-1
  berth node resize node-1 node-2 --cpu 16 --resource example.com/disk=4
  berth node fail node-3                 its kubelet is no longer heard of
  berth node heal node-3
  berth node remove node-1 node-2)";

using OptionsPtr = std::shared_ptr<Options>;

// A command below `node`, which calls `run`.
CLI::App* AddAction(CLI::App& parent, const OptionsPtr& options, int& exit_code, const std::string& name,
                    const std::string& description, Result<void> (*run)(const Options&)) {
  CLI::App* action = parent.add_subcommand(name, description);
  action->add_option("--kubeconfig", options->kubeconfig, "The cluster to change")->type_name("FILE");
  action->callback([options, run, name, &exit_code] {
    if (options->kubeconfig.empty()) options->kubeconfig = app::DefaultKubeconfig();
    const Result<void> ran = run(*options);
    if (ran) return;
    fmt::print(stderr, "berth node {}: {}\n", name, ran.error().message);
    exit_code = kExitFailure;
  });
  return action;
}

void AddNames(CLI::App* action, const OptionsPtr& options) {
  action->add_option("nodes", options->names, "The nodes")->required()->type_name("NODE");
}

}  // namespace

void AddCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("node", std::string(kDescription));
  command->require_subcommand(1);
  command->footer(std::string(kFooter));

  CLI::App* add = AddAction(*command, options, exit_code, "add", "Adds nodes", Add);
  add->add_option("count", options->count, "How many")->required()->check(CLI::Range(1U, 100'000U))->type_name("N");
  add->add_option("--like", options->like, "With the labels, taints and resources of this node")->type_name("NODE");

  AddNames(AddAction(*command, options, exit_code, "remove", "Removes nodes, and their pods with them", Remove),
           options);

  CLI::App* resize = AddAction(*command, options, exit_code, "resize", "Changes how much nodes have", Resize);
  AddNames(resize, options);
  resize->add_option("--cpu", options->cpu, "Cores, such as 8 or 500m")->type_name("AMOUNT");
  resize->add_option("--memory", options->memory, "Bytes, such as 32Gi")->type_name("AMOUNT");
  resize->add_option("--pods", options->pods, "How many pods may run there")->type_name("AMOUNT");
  resize->add_option("--resource", options->resources, "Any other resource; may be given more than once")
      ->type_name("NAME=AMOUNT")
      ->allow_extra_args(false);

  CLI::App* fail =
      AddAction(*command, options, exit_code, "fail", "Makes nodes unreachable, as if they crashed", MakeFail);
  AddNames(fail, options);
  fail->add_flag("--not-ready", options->is_heard_of, "They answer, but are not ready: their pods can still end");

  AddNames(AddAction(*command, options, exit_code, "heal", "Makes nodes ready again", Heal), options);
}

}  // namespace berth::node
