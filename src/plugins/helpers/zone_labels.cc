// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/zone_labels.h"

#include <algorithm>
#include <set>
#include <string>

#include <boost/algorithm/string/trim.hpp>

namespace berth::plugins {
namespace {

using api::NodeSelector;
using api::SelectorRequirement;

template <class Selector, class Visit>
void ForRequirements(Selector& affinity, std::string_view key, Visit visit) {
  for (auto& term : affinity.terms) {
    for (auto& requirement : term.match_expressions) {
      if (requirement.key == key) visit(requirement);
    }
  }
}

bool HasKey(const std::optional<NodeSelector>& affinity, std::string_view key) {
  bool found = false;
  if (affinity) ForRequirements(*affinity, key, [&](const SelectorRequirement&) { found = true; });
  return found;
}

// Keys are only replaced where some requirement on them lists values.
bool HasValues(const std::optional<NodeSelector>& affinity, std::string_view key) {
  bool found = false;
  if (affinity) ForRequirements(*affinity, key, [&](const SelectorRequirement& r) { found |= !r.values.empty(); });
  return found;
}

void ReplaceKey(NodeSelector& affinity, std::string_view old_key, std::string_view new_key) {
  ForRequirements(affinity, old_key, [&](SelectorRequirement& requirement) { requirement.key = new_key; });
}

// The old labels count only where the new ones are missing, and a node affinity counts before labels.
bool UsesBetaLabels(const api::Labels& labels, const std::optional<NodeSelector>& affinity) {
  if (HasKey(affinity, kZoneLabel)) return false;
  if (HasKey(affinity, kBetaZoneLabel)) return true;
  return !labels.Has(kZoneLabel) && labels.Has(kBetaZoneLabel);
}

void RequireZones(std::string_view zones, std::string_view zone_key, std::optional<NodeSelector>& affinity) {
  std::set<std::string> values;
  for (const std::string_view zone : SplitZones(zones)) {
    std::string trimmed = boost::trim_copy(std::string(zone));
    if (!trimmed.empty()) values.insert(std::move(trimmed));
  }
  if (values.empty()) return;
  const SelectorRequirement in{.key = std::string(zone_key), .op = "In", .values = {values.begin(), values.end()}};
  if (!affinity) affinity.emplace();
  if (affinity->terms.empty()) affinity->terms.emplace_back();
  for (api::NodeSelectorTerm& term : affinity->terms) term.match_expressions.push_back(in);
}

}  // namespace

std::vector<std::string_view> SplitZones(std::string_view value) {
  constexpr std::string_view kDelimiter = "__";
  std::vector<std::string_view> parts;
  for (size_t end = value.find(kDelimiter); end != std::string_view::npos; end = value.find(kDelimiter)) {
    parts.push_back(value.substr(0, end));
    value.remove_prefix(end + kDelimiter.size());
  }
  parts.push_back(value);
  return parts;
}

void UseDriverZones(const api::Labels& volume_labels, std::string_view zone_key,
                    std::optional<NodeSelector>& affinity) {
  const bool beta = UsesBetaLabels(volume_labels, affinity);
  const std::string_view zone_label = beta ? kBetaZoneLabel : kZoneLabel;
  if (HasValues(affinity, zone_label)) {
    ReplaceKey(*affinity, zone_label, zone_key);
  } else if (const std::string* zones = volume_labels.Find(zone_label)) {
    RequireZones(*zones, zone_key, affinity);
  }
  // New nodes carry only the new region label.
  if (beta && HasValues(affinity, kBetaRegionLabel)) ReplaceKey(*affinity, kBetaRegionLabel, kRegionLabel);
}

}  // namespace berth::plugins
