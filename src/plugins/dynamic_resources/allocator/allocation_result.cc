// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/allocation_result.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/hash.h"
#include "base/uuid.h"

namespace berth::plugins {
namespace {

using api::AllocationResult;
using api::DeviceConfiguration;

// Of each request of the claim: what was chosen of it. A request for no devices has its first alternative.
std::vector<const PreparedRequest*> ChosenRequests(const PreparedClaim& claim,
                                                   const std::vector<ChosenDevice>& chosen) {
  std::vector<const PreparedRequest*> requests;
  for (const std::vector<PreparedRequest>& alternatives : claim.requests) {
    const auto found = std::ranges::find_if(chosen, [&](const ChosenDevice& device) {
      return device.request >= alternatives.data() && device.request < alternatives.data() + alternatives.size();
    });
    requests.push_back(found == chosen.end() ? &alternatives.front() : found->request);
  }
  return requests;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether a list of names has the request, be it by the name of the alternative that was chosen.
bool Names(const std::vector<std::string>& names, const PreparedRequest& request) {
  if (request.parent == nullptr) return Contains(names, request.request->name);
  return Contains(names, *request.parent) || Contains(names, request.Name());
}

void AddConfig(const PreparedClaim& claim, const std::vector<const PreparedRequest*>& requests,
               AllocationResult& result) {
  std::map<std::string, std::pair<size_t, size_t>> of_class;  // Where the configuration of a class is.
  for (const PreparedRequest* request : requests) {
    const api::DeviceClass& device_class = *request->device_class;
    const auto [place, added] = of_class.try_emplace(device_class.meta.name, result.config.size(), 0);
    if (added) {
      for (const DeviceConfiguration& config : device_class.config) {
        result.config.push_back({.source = "FromClass", .requests = {}, .json = config.json});
      }
      place->second.second = result.config.size();
    }
    for (size_t i = place->second.first; i < place->second.second; ++i) {
      result.config[i].requests.push_back(request->Name());
    }
  }
  for (const DeviceConfiguration& config : claim.claim->config) {
    const bool applies = config.requests.empty() || std::ranges::any_of(requests, [&](const PreparedRequest* request) {
                           return Names(config.requests, *request);
                         });
    if (applies) result.config.push_back({.source = "FromClaim", .requests = config.requests, .json = config.json});
  }
  for (DeviceConfiguration& config : result.config) {
    const bool is_for_all =
        std::ranges::all_of(requests, [&](const PreparedRequest* request) { return Names(config.requests, *request); });
    if (is_for_all) config.requests.clear();
  }
}

void AddRequirements(const std::vector<api::SelectorRequirement>& from, std::vector<api::SelectorRequirement>& to) {
  const auto values = [](const api::SelectorRequirement& requirement) {
    return std::set<std::string>(requirement.values.begin(), requirement.values.end());
  };
  for (const api::SelectorRequirement& added : from) {
    const bool is_there = std::ranges::any_of(to, [&](const api::SelectorRequirement& present) {
      return present.key == added.key && present.op == added.op && values(present) == values(added);
    });
    if (!is_there) to.push_back(added);
  }
}

Result<std::optional<api::NodeSelector>> NodesOf(const std::vector<ChosenDevice>& chosen,
                                                 const CandidateDevices& candidates, const std::string& node_name,
                                                 bool stable) {
  api::NodeSelectorTerm term;
  for (const ChosenDevice& device : chosen) {
    const CandidateDevice& candidate = candidates.devices[device.device];
    const api::NodeSelection& nodes =
        candidate.slice->per_device_selection() ? candidate.device->nodes : (*candidate.slice)->nodes;
    if (nodes.node_name || (!stable && candidate.device->binds_to_node)) {
      const std::string& name = stable ? *nodes.node_name : node_name;
      return api::NodeSelector{.terms = {{.match_expressions = {},
                                          .match_fields = {{.key = "metadata.name", .op = "In", .values = {name}}}}}};
    }
    if (!nodes.node_selector || nodes.node_selector->terms.empty()) continue;
    if (nodes.node_selector->terms.size() > 1) {
      return Invalid(
          fmt::format("unsupported ResourceSlice.NodeSelector with {} terms", nodes.node_selector->terms.size()));
    }
    AddRequirements(nodes.node_selector->terms.front().match_fields, term.match_fields);
    AddRequirements(nodes.node_selector->terms.front().match_expressions, term.match_expressions);
  }
  if (term.match_fields.empty() && term.match_expressions.empty()) return std::nullopt;
  return api::NodeSelector{.terms = {std::move(term)}};
}

}  // namespace

Result<AllocationResult> MakeAllocationResult(const PreparedClaim& claim, const std::vector<ChosenDevice>& chosen,
                                              const CandidateDevices& candidates, const cluster::DeviceOptions& options,
                                              const std::string& node_name) {
  AllocationResult result;
  for (const ChosenDevice& device : chosen) {
    const CandidateDevice& candidate = candidates.devices[device.device];
    const api::ResourceSlice& slice = candidate.slice->slice();
    api::DeviceRequestAllocationResult& made = result.results.emplace_back();
    made.request = device.request->Name();
    made.driver = slice.driver;
    made.pool = slice.pool.name;
    made.device = candidate.device->name;
    made.admin_access = device.request->is_admin();
    made.tolerations = device.request->request->tolerations;
    if (device.is_share) {
      made.share_id.emplace();
      if (!device.consumed.empty()) made.consumed_capacity = device.consumed;
    }
    if (options.binding_conditions) {
      made.binding_conditions = candidate.device->binding_conditions;
      made.binding_failure_conditions = candidate.device->binding_failure_conditions;
    }
    if (options.optional_node_operations) made.skip_node_operations = slice.skip_node_operations;
  }
  AddConfig(claim, ChosenRequests(claim, chosen), result);
  Result<std::optional<api::NodeSelector>> nodes = NodesOf(chosen, candidates, node_name, options.stable_allocator());
  if (!nodes) {
    return Invalid(fmt::format("create NodeSelector for claim {}: {}", claim.claim->meta.name, nodes.error().message));
  }
  result.node_selector = *std::move(nodes);
  return result;
}

void NameShares(AllocationResult& allocation, std::string_view seed) {
  for (size_t i = 0; i < allocation.results.size(); ++i) {
    std::optional<std::string>& id = allocation.results[i].share_id;
    if (!id) continue;
    const std::string text = fmt::format("{}/{}", seed, i + 1);
    id = MakeUuid(HashBytes(text, 1), HashBytes(text, 2));
  }
}

}  // namespace berth::plugins
