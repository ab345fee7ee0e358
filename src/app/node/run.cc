// SPDX-License-Identifier: Apache-2.0
#include "app/node/run.h"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <string_view>

#include "api/parts/quantity.h"
#include "api/parts/selector.h"
#include "app/command_line/standard_output.h"
#include "app/node/node_changes.h"
#include "app/node/node_client.h"

namespace berth::node {
namespace {

void Say(const std::string& name, std::string_view what) { app::Print(fmt::format("node/{} {}\n", name, what)); }

Result<void> CheckName(const std::string& name) {
  // It becomes part of a path.
  if (!api::ValidateDnsSubdomain(name).empty()) return Invalid(fmt::format("\"{}\" is no name of a node", name));
  return {};
}

// Does it to all the nodes, after all were found.
Result<void> ForEach(const Options& options, std::string_view done,
                     const std::function<Result<void>(NodeClient&, const std::string&, const Json&)>& act) {
  for (const std::string& name : options.names) BERTH_CHECK_OK(CheckName(name));
  const std::unique_ptr<NodeClient> client = BERTH_TRY(NodeClient::Create(options.kubeconfig));
  std::vector<Json> nodes;
  for (const std::string& name : options.names) nodes.push_back(BERTH_TRY(client->Get(name)));
  for (size_t i = 0; i < nodes.size(); ++i) {
    BERTH_CHECK_OK(act(*client, options.names[i], nodes[i]));
    Say(options.names[i], done);
  }
  return {};
}

Result<void> AddAmount(Json& amounts, std::string_view name, std::string_view amount) {
  if (!api::ValidateQualifiedName(name).empty()) return Invalid(fmt::format("\"{}\" is no name of a resource", name));
  const Result<api::Quantity> parsed = api::Quantity::Parse(amount);
  if (!parsed || parsed->Sign() < 0) {
    return Invalid(fmt::format("{}: \"{}\" is no amount, such as 8, 500m or 32Gi", name, amount));
  }
  amounts.Set(name, parsed->String());
  return {};
}

Result<Json> Amounts(const Options& options) {
  Json amounts = Json::MakeMap();
  if (!options.cpu.empty()) BERTH_CHECK_OK(AddAmount(amounts, "cpu", options.cpu));
  if (!options.memory.empty()) BERTH_CHECK_OK(AddAmount(amounts, "memory", options.memory));
  if (!options.pods.empty()) BERTH_CHECK_OK(AddAmount(amounts, "pods", options.pods));
  for (const std::string& resource : options.resources) {
    const size_t equals = resource.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Invalid(fmt::format("--resource: \"{}\" is not of the form NAME=AMOUNT", resource));
    }
    BERTH_CHECK_OK(AddAmount(amounts, resource.substr(0, equals), resource.substr(equals + 1)));
  }
  if (amounts.empty()) return Invalid("nothing to change; give --cpu, --memory, --pods or --resource");
  return amounts;
}

}  // namespace

Result<void> Add(const Options& options) {
  if (!options.like.empty()) BERTH_CHECK_OK(CheckName(options.like));
  const std::unique_ptr<NodeClient> client = BERTH_TRY(NodeClient::Create(options.kubeconfig));
  Json model;
  if (!options.like.empty()) model = BERTH_TRY(client->Get(options.like));
  const std::vector<std::string> present = BERTH_TRY(client->Names());
  for (const Json& node : NewNodes(options.count, model, present)) {
    BERTH_CHECK_OK(client->Create(node));
    Say(node["metadata"]["name"].text(), "added");
  }
  return {};
}

Result<void> Remove(const Options& options) {
  return ForEach(options, "removed",
                 [](NodeClient& client, const std::string& name, const Json&) { return client.Delete(name); });
}

Result<void> Resize(const Options& options) {
  const Json patch = ResizePatch(BERTH_TRY(Amounts(options)));
  return ForEach(options, "resized", [&](NodeClient& client, const std::string& name, const Json&) {
    return client.PatchStatus(name, patch);
  });
}

Result<void> MakeFail(const Options& options) {
  return ForEach(options, "failed", [&](NodeClient& client, const std::string& name, const Json& node) {
    return client.PatchStatus(name, FailPatch(node, options.is_heard_of, client.now()));
  });
}

Result<void> Heal(const Options& options) {
  return ForEach(options, "healed", [](NodeClient& client, const std::string& name, const Json& node) {
    return client.PatchStatus(name, HealPatch(node, client.now()));
  });
}

}  // namespace berth::node
