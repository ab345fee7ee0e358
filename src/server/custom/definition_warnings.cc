// SPDX-License-Identifier: Apache-2.0
#include "server/custom/definition_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/document/field_error.h"
#include "server/custom/schema.h"

namespace berth::server {
namespace {

struct WarningsFound {
  std::vector<std::string> formats;  // In the order of the schema.
  std::set<std::string> sets;
};

void LookAt(const Json& schema, WarningsFound& findings) {
  if (!schema.is_map()) return;
  if (const std::string& format = schema["format"].text(); !format.empty() && !IsKnownFormat(format)) {
    findings.formats.push_back(fmt::format("unrecognized format {}", api::GoQuote(format)));
  }
  const std::string& item_type = schema["items"]["type"].text();
  if (schema["x-kubernetes-list-type"].text() == "set" && (item_type == "object" || item_type == "array")) {
    findings.sets.insert(
        fmt::format("x-kubernetes-list-type: set for items of type {} is not supported by server-side apply or CEL "
                    "validation rules",
                    api::GoQuote(item_type)));
  }
  for (const std::string_view part : {"items", "not", "additionalProperties"}) LookAt(schema[part], findings);
  for (const std::string_view list : {"allOf", "anyOf", "oneOf"}) {
    for (const Json& part : schema[list].items()) LookAt(part, findings);
  }
  for (const Json::Member& property : schema["properties"].members()) LookAt(property.value, findings);
}

}  // namespace

std::vector<std::string> DefinitionWarnings(const Json& definition) {
  WarningsFound findings;
  const Json::List& versions = definition["spec"]["versions"].items();
  const bool is_same = std::ranges::all_of(
      versions, [&](const Json& version) { return version["schema"] == versions.front()["schema"]; });
  for (const Json& version : versions) {
    LookAt(version["schema"]["openAPIV3Schema"], findings);
    if (is_same) break;
  }
  std::vector<std::string> warnings = std::move(findings.formats);
  warnings.insert(warnings.end(), findings.sets.begin(), findings.sets.end());
  return warnings;
}

}  // namespace berth::server
