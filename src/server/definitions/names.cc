// SPDX-License-Identifier: Apache-2.0
#include "server/definitions/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "api/document/field_error.h"
#include "server/custom/definition_kind.h"

namespace berth::server {
namespace {

struct UsedNames {
  std::set<std::string> resources;
  std::set<std::string> kinds;
};

UsedNames NamesBesides(const Json& definition, const NamesByDefinition& all) {
  UsedNames used;
  for (const auto& [name, taken] : all) {
    const bool is_own = name == definition["metadata"]["name"].text();
    if (is_own || taken.group != definition["spec"]["group"].text()) continue;
    const Json& names = taken.names;
    used.resources.insert(names["plural"].text());
    used.resources.insert(names["singular"].text());
    for (const Json& each : names["shortNames"].items()) used.resources.insert(each.text());
    used.kinds.insert(names["kind"].text());
    used.kinds.insert(names["listKind"].text());
  }
  return used;
}

std::string InUse(const std::string& name) { return fmt::format("{} is already in use", api::GoQuote(name)); }

}  // namespace

AcceptedNames AcceptNames(const Json& definition, const NamesByDefinition& all) {
  const Json& wanted = definition["spec"]["names"];
  const Json& present = definition["status"]["acceptedNames"];
  const UsedNames used = NamesBesides(definition, all);
  AcceptedNames accepted{.names = present, .reason = {}, .message = {}};
  const auto accept = [&](std::string_view name, const std::set<std::string>& taken, std::string_view reason) {
    const std::string& text = wanted[name].text();
    if (text != present[name].text() && taken.contains(text)) {
      accepted.reason = reason;
      accepted.message = InUse(text);
    } else {
      accepted.names.Set(name, text);
    }
  };
  accept("plural", used.resources, "PluralConflict");
  accept("singular", used.resources, "SingularConflict");
  if (wanted["shortNames"] != present["shortNames"]) {
    std::vector<std::string> conflicts;
    for (const Json& name : wanted["shortNames"].items()) {
      const Json::List& own = present["shortNames"].items();
      if (std::ranges::find(own, name) == own.end() && used.resources.contains(name.text())) {
        conflicts.push_back(InUse(name.text()));
      }
    }
    if (conflicts.empty()) {
      accepted.names.Set("shortNames", wanted["shortNames"]);
    } else {
      accepted.reason = "ShortNamesConflict";
      accepted.message = conflicts.size() == 1 ? conflicts.front() : fmt::format("[{}]", fmt::join(conflicts, ", "));
    }
  }
  accept("kind", used.kinds, "KindConflict");
  accept("listKind", used.kinds, "ListKindConflict");
  accepted.names.Set("categories", wanted["categories"]);
  for (const std::string_view name : {"shortNames", "categories"}) {
    if (accepted.names[name].empty()) accepted.names.Erase(name);
  }
  if (accepted.reason.empty()) {
    accepted.reason = "NoConflicts";
    accepted.message = "no conflicts found";
  }
  return accepted;
}

void SetAcceptedNames(Json& definition, const AcceptedNames& accepted, Time now) {
  definition.Make("status").Set("acceptedNames", accepted.names);
  const bool is_ok = accepted.reason == "NoConflicts";
  SetDefinitionCondition(definition, "NamesAccepted", is_ok ? "True" : "False", accepted.reason, accepted.message, now);
  if (IsDefinitionCondition(definition, "Established", "True")) return;
  SetDefinitionCondition(definition, "Established", "False", is_ok ? "Installing" : "NotAccepted",
                         is_ok ? "the initial names have been accepted" : "not all names are accepted", now);
}

}  // namespace berth::server
