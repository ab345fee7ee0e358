// SPDX-License-Identifier: Apache-2.0
#include "server/custom/definition_validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <expected>
#include <set>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "server/custom/definition_kind.h"
#include "server/custom/rule_check.h"
#include "server/custom/schema.h"
#include "server/custom/schema_rules.h"
#include "server/model/checks.h"
#include "server/model/client_checks.h"
#include "server/model/field_path.h"
#include "server/model/value_rules.h"

namespace berth::server {
namespace {

constexpr size_t kSelectableMax = 8;

std::string Joined(const Problems& problems) { return fmt::format("{}", fmt::join(problems, ",")); }

void CheckLabel(FieldErrors& errors, const std::string& path, const Json& value, std::string_view prefix = {}) {
  const std::string& text = value.text();
  const Problems problems = CheckDns1035Label(prefix.empty() ? text : Lower(text));
  if (!problems.empty()) errors.Invalid(path, text, fmt::format("{}{}", prefix, Joined(problems)));
}

void CheckNames(const Json& names, const std::string& path, FieldErrors& errors) {
  constexpr std::string_view kMixed = "may have mixed case, but should otherwise match: ";
  for (const std::string_view name : {"plural", "singular"}) {
    if (!names[name].text().empty()) CheckLabel(errors, Child(path, name), names[name]);
  }
  for (const std::string_view name : {"kind", "listKind"}) {
    if (!names[name].text().empty()) CheckLabel(errors, Child(path, name), names[name], kMixed);
  }
  const std::string short_path = Child(path, "shortNames");
  for (size_t i = 0; i < names["shortNames"].size(); ++i) {
    CheckLabel(errors, Index(short_path, i), names["shortNames"][i]);
  }
  if (!names["kind"].text().empty() && names["kind"] == names["listKind"]) {
    errors.Invalid(Child(path, "listKind"), names["listKind"], "kind and listKind may not be the same");
  }
  const std::string categories_path = Child(path, "categories");
  for (size_t i = 0; i < names["categories"].size(); ++i) {
    CheckLabel(errors, Index(categories_path, i), names["categories"][i]);
  }
}

// Whether it begins as a path should.
bool CheckSimplePath(const std::string& text, const std::string& path, FieldErrors& errors) {
  if (text.starts_with('.')) return true;
  errors.Invalid(path, text, "must be a simple json path starting with .");
  return false;
}

void CheckSubresources(const Json& subresources, const std::string& path, FieldErrors& errors) {
  const Json& scale = subresources["scale"];
  if (!scale.is_map()) return;
  const auto check = [&](std::string_view name, std::string_view prefix, std::string_view what) {
    const std::string& text = scale[name].text();
    const std::string place = fmt::format("{}.scale.{}", path, name);
    if (text.empty()) return errors.Required(place);
    if (CheckSimplePath(text, place, errors) && !text.starts_with(prefix)) errors.Invalid(place, text, what);
  };
  check("specReplicasPath", ".spec.", "should be a json path under .spec");
  check("statusReplicasPath", ".status.", "should be a json path under .status");
  const std::string& selector = scale["labelSelectorPath"].text();
  const std::string place = path + ".scale.labelSelectorPath";
  if (selector.empty() || !CheckSimplePath(selector, place, errors)) return;
  if (!selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    errors.Invalid(place, selector, "should be a json path under either .spec or .status");
  }
}

void CheckColumn(const Json& column, const std::string& path, FieldErrors& errors) {
  if (column["name"].text().empty()) errors.Required(Child(path, "name"));
  constexpr std::string_view kTypes = "must be one of boolean,date,integer,number,string";
  const std::string& type = column["type"].text();
  if (type.empty()) {
    errors.Required(Child(path, "type"), kTypes);
  } else if (!IsOneOf(type, {"boolean", "date", "integer", "number", "string"})) {
    errors.Invalid(Child(path, "type"), type, kTypes);
  }
  const std::string& format = column["format"].text();
  if (!format.empty() &&
      !IsOneOf(format, {"byte", "date", "date-time", "double", "float", "int32", "int64", "password"})) {
    errors.Invalid(Child(path, "format"), format,
                   "must be one of byte,date,date-time,double,float,int32,int64,password");
  }
  const std::string& target = column["jsonPath"].text();
  if (target.empty()) {
    errors.Required(Child(path, "JSONPath"));
  } else {
    CheckSimplePath(target, Child(path, "JSONPath"), errors);
  }
}

// The schema at a path of names such as .spec.color, or why there is none.
std::expected<const Json*, std::string> SchemaAt(const Json& root, std::string_view target) {
  const Json* at = &root;
  while (!target.empty()) {
    if (target.starts_with('[')) return std::unexpected("array notation is not allowed");
    if (!target.starts_with('.')) {
      return std::unexpected(fmt::format("expected [ or . but got: {}", target.substr(0, target.find_first_of(".[]"))));
    }
    target.remove_prefix(1);
    if (target.empty()) return std::unexpected("unexpected end of JSON path");
    const std::string_view name = target.substr(0, target.find_first_of(".[]"));
    target.remove_prefix(name.size());
    const Json& properties = (*at)["properties"];
    at = name.empty() ? nullptr : properties.empty() ? (*at).Find("additionalProperties") : properties.Find(name);
    if (at == nullptr) return std::unexpected("does not refer to a valid field");
  }
  return at;
}

void CheckSelectable(const Json& version, const std::string& path, FieldErrors& errors) {
  const Json& fields = version["selectableFields"];
  if (fields.empty()) return;
  const Json& schema = version["schema"]["openAPIV3Schema"];
  if (!schema.is_map()) {
    return errors.Invalid(path, "", "may only be set when `version.schema.openAPIV3Schema` is not included");
  }
  std::set<std::string> seen;
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string& target = fields[i]["jsonPath"].text();
    const std::string place = Child(Index(path, i), "jsonPath");
    if (target.empty()) {
      errors.Required(place);
      continue;
    }
    const auto found = SchemaAt(schema, target);
    if (!found) {
      errors.Invalid(place, target, "is an invalid path: " + found.error());
      continue;
    }
    if (target == ".metadata" || target.starts_with(".metadata.")) {
      errors.Invalid(place, target, "must not point to fields in metadata");
    }
    if (!IsOneOf((**found)["type"].text(), {"string", "boolean", "integer"})) {
      errors.Invalid(place, target,
                     "must point to a field of type string, boolean or integer. Enum string fields and strings with "
                     "formats are allowed.");
    }
    if (!seen.insert(target).second) errors.Duplicate(place, target);
  }
  if (seen.size() > kSelectableMax) errors.TooMany(path, seen.size(), kSelectableMax);
}

// Where the first character stands that cannot be printed; the length if there is none.
size_t FindControl(std::string_view text) {
  const auto found = std::ranges::find_if(text, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
  return static_cast<size_t>(found - text.begin());
}

void CheckDeprecation(const Json& version, const std::string& path, FieldErrors& errors) {
  const Json& warning = version["deprecationWarning"];
  if (!warning.is_null()) {
    const std::string place = Child(path, "deprecationWarning");
    if (!version["deprecated"].AsBool()) {
      errors.Invalid(place, warning, "can only be set for deprecated versions");
    } else if (warning.text().size() > 256) {
      errors.Invalid(place, warning, "must be <= 256 characters long");
    } else if (warning.text().empty()) {
      errors.Invalid(place, warning, "must not be an empty string");
    } else if (const size_t at = FindControl(warning.text()); at != warning.text().size()) {
      errors.Invalid(place, warning,
                     fmt::format("must only contain printable UTF-8 characters; non-printable character found at index "
                                 "{}",
                                 at));
    }
  }
}

// A part of a version that upstream moves to the definition itself where all versions have the same.
void CheckPart(const Json& version, std::string_view part, const std::string& path, FieldErrors& errors) {
  const Json& value = version[part];
  const std::string place = Child(path, part);
  if (part == "subresources") return CheckSubresources(value, place, errors);
  if (part == "selectableFields") return CheckSelectable(version, place, errors);
  for (size_t i = 0; i < value.size(); ++i) CheckColumn(value[i], Index(place, i), errors);
}

void CheckParts(const Json& versions, FieldErrors& errors) {
  for (const std::string_view part : {"subresources", "additionalPrinterColumns", "selectableFields"}) {
    const bool is_same = std::ranges::all_of(
        versions.items(), [&](const Json& version) { return version[part] == versions[size_t{0}][part]; });
    if (is_same) {
      CheckPart(versions[size_t{0}], part, "spec", errors);
      continue;
    }
    for (size_t i = 0; i < versions.size(); ++i) {
      CheckPart(versions[i], part, fmt::format("spec.versions[{}]", i), errors);
    }
  }
}

const Json* FindVersion(const Json* definition, const std::string& name) {
  if (definition == nullptr) return nullptr;
  const Json::List& versions = (*definition)["spec"]["versions"].items();
  const auto found = std::ranges::find_if(versions, [&](const Json& each) { return each["name"].text() == name; });
  return found == versions.end() ? nullptr : &*found;
}

// The schema of a version, unless it is as it was.
void CheckSchema(const Json& version, const Json* definition, const std::string& path, const KnownExpressions& known,
                 FieldErrors& errors) {
  const Json* const old = FindVersion(definition, version["name"].text());
  const Json& schema = version["schema"]["openAPIV3Schema"];
  const bool has_status = version["subresources"]["status"].is_map();
  const bool stays = old != nullptr && (*old)["schema"]["openAPIV3Schema"] == schema &&
                     (*old)["subresources"]["status"].is_map() == has_status;
  if (schema.is_map() && !stays) ValidateSchema(schema, path + ".openAPIV3Schema", has_status, known, errors);
}

// Upstream keeps a schema that all versions have in one place, and names that.
bool HaveSameSchema(const Json& versions) {
  return std::ranges::all_of(versions.items(),
                             [&](const Json& version) { return version["schema"] == versions[size_t{0}]["schema"]; });
}

void CheckVersions(const Json& spec, const Json* old, FieldErrors& errors) {
  const Json& versions = spec["versions"];
  for (size_t i = 0; i < versions.size(); ++i) {
    if (!versions[i]["schema"]["openAPIV3Schema"].is_map()) {
      errors.Required(fmt::format("spec.versions[{}].schema.openAPIV3Schema", i));
    }
  }
  KnownExpressions known;
  if (old != nullptr) {
    for (const Json& version : (*old)["spec"]["versions"].items()) {
      CollectExpressions(version["schema"]["openAPIV3Schema"], known);
    }
  }
  const bool is_same = HaveSameSchema(versions);
  if (is_same && !versions.empty()) {
    const auto with_status = std::ranges::find_if(
        versions.items(), [](const Json& version) { return version["subresources"]["status"].is_map(); });
    const Json& one = with_status == versions.items().end() ? versions[size_t{0}] : *with_status;
    CheckSchema(one, old, "spec.validation", known, errors);
  }
  // Versions have their own names; the definition's is that of the first.
  if (const Json& name = versions[size_t{0}]["name"]; !name.text().empty()) CheckLabel(errors, "spec.version", name);
  CheckParts(versions, errors);
  size_t storage = 0;
  std::set<std::string> names;
  for (size_t i = 0; i < versions.size(); ++i) {
    const Json& version = versions[i];
    const std::string path = fmt::format("spec.versions[{}]", i);
    if (version["storage"].AsBool()) ++storage;
    names.insert(version["name"].text());
    CheckLabel(errors, Child(path, "name"), version["name"]);
    CheckDeprecation(version, path, errors);
    if (!is_same) CheckSchema(version, old, path + ".schema", known, errors);
  }
  if (names.size() != versions.size()) errors.Invalid("spec.versions", versions, "must contain unique version names");
  if (storage != 1) {
    errors.Invalid("spec.versions", versions, "must have exactly one version marked as storage version");
  }
}

void CheckReviewVersions(const Json& versions, const std::string& path, FieldErrors& errors) {
  std::set<std::string> seen;
  for (size_t i = 0; i < versions.size(); ++i) {
    if (!seen.insert(versions[i].text()).second) {
      errors.Invalid(Index(path, i), versions[i], "duplicate version");
    } else {
      CheckLabel(errors, Index(path, i), versions[i]);
    }
  }
}

void CheckConversion(const Json& conversion, FieldErrors& errors) {
  if (!conversion.is_map()) return;
  const std::string& strategy = conversion["strategy"].text();
  if (strategy.empty()) {
    errors.Required("spec.conversion.strategy");
  } else if (strategy != "None" && strategy != "Webhook") {
    errors.NotSupported("spec.conversion.strategy", strategy, {"None", "Webhook"});
  }
  const Json& webhook = conversion["webhook"];
  const Json& client = webhook["clientConfig"];
  if (strategy != "Webhook") {
    if (client.is_map()) {
      errors.Forbidden("spec.conversion.webhookClientConfig", "should not be set when strategy is not set to Webhook");
    }
    if (!webhook["conversionReviewVersions"].empty()) {
      errors.Forbidden("spec.conversion.conversionReviewVersions",
                       "should not be set when strategy is not set to Webhook");
    }
    return;
  }
  if (!client.is_map()) {
    errors.Required("spec.conversion.webhookClientConfig", "required when strategy is set to Webhook");
  } else {
    CheckClientConfig(client, FieldPath("spec.conversion.webhookClientConfig"), errors);
  }
  const Json& reviews = webhook["conversionReviewVersions"];
  if (reviews.empty()) return errors.Required("spec.conversion.conversionReviewVersions");
  CheckReviewVersions(reviews, "spec.conversion.conversionReviewVersions", errors);
  const bool is_known = std::ranges::any_of(
      reviews.items(), [](const Json& each) { return each.text() == "v1" || each.text() == "v1beta1"; });
  if (!is_known) {
    errors.Invalid("spec.conversion.conversionReviewVersions", reviews, "must include at least one of v1, v1beta1");
  }
}

void CheckStoredVersions(const Json& definition, FieldErrors& errors) {
  const Json& stored = definition["status"]["storedVersions"];
  if (stored.empty()) return errors.Invalid("status.storedVersions", stored, "must have at least one stored version");
  for (const Json& version : definition["spec"]["versions"].items()) {
    const bool is_stored = std::ranges::find(stored.items(), version["name"]) != stored.items().end();
    if (version["storage"].AsBool() && !is_stored) {
      errors.Invalid("status.storedVersions", stored, "must have the storage version " + version["name"].text());
    }
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    const std::string& name = stored[i].text();
    if (FindVersion(&definition, name) != nullptr) continue;
    errors.Invalid(Index("status.storedVersions", i), name,
                   fmt::format("missing from spec.versions; {0} was previously a storage version, and must remain in "
                               "spec.versions until a storage migration ensures no data remains persisted in {0} and "
                               "removes {0} from status.storedVersions",
                               name));
  }
}

// Groups that belong to Kubernetes want to be approved.
void CheckApproval(const Json& definition, const Json* old, FieldErrors& errors) {
  constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
  const std::string& group = definition["spec"]["group"].text();
  const auto is_below = [&](std::string_view domain) {
    return group == domain || group.ends_with(fmt::format(".{}", domain));
  };
  if (!is_below("k8s.io") && !is_below("kubernetes.io")) return;
  const std::string& value = definition["metadata"]["annotations"][kAnnotation].text();
  if (old != nullptr && (*old)["metadata"]["annotations"][kAnnotation].text() == value) return;
  const std::string path = fmt::format("metadata.annotations[{}]", kAnnotation);
  const bool is_url = value.find("://") != std::string::npos;
  if (value.empty()) {
    errors.Required(path,
                    "protected groups must have approval annotation \"api-approved.kubernetes.io\", see "
                    "https://github.com/kubernetes/enhancements/pull/1111");
  } else if (!is_url && !value.starts_with("unapproved")) {
    errors.Invalid(path, value,
                   "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or "
                   "a reason starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111");
  }
}

void CheckSpec(const Json& spec, const Json* old, FieldErrors& errors) {
  const std::string& group = spec["group"].text();
  if (group.empty()) {
    errors.Required("spec.group");
  } else if (const Problems problems = api::ValidateDnsSubdomain(group); !problems.empty()) {
    errors.Invalid("spec.group", group, Joined(problems));
  } else if (group.find('.') == std::string::npos) {
    errors.Invalid("spec.group", group, "should be a domain with at least one dot");
  }
  CheckEnum(errors, kSpec, spec, "scope", {"Cluster", "Namespaced"});
  CheckVersions(spec, old, errors);
  for (const std::string_view name : {"plural", "singular", "kind", "listKind"}) {
    if (spec["names"][name].text().empty()) errors.Required(fmt::format("spec.names.{}", name));
  }
  CheckNames(spec["names"], "spec.names", errors);
  if (spec["preserveUnknownFields"].AsBool()) {
    errors.Invalid("spec.preserveUnknownFields", Json::Bool(true),
                   "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                   "spec.versions[*].schema instead");
  }
  CheckConversion(spec["conversion"], errors);
}

}  // namespace

void ValidateDefinition(const Json& definition, const Json* old, FieldErrors& errors) {
  const Json& spec = definition["spec"];
  CheckSpec(spec, old, errors);
  if (old != nullptr) {
    const Json& before = (*old)["spec"];
    if (IsDefinitionCondition(*old, "Established", "True")) {
      CheckImmutable(errors, FieldPath("spec.scope"), spec["scope"], before["scope"]);
      CheckImmutable(errors, FieldPath("spec.names.kind"), spec["names"]["kind"], before["names"]["kind"]);
    }
    CheckImmutable(errors, FieldPath("spec.group"), spec["group"], before["group"]);
    CheckImmutable(errors, FieldPath("spec.names.plural"), spec["names"]["plural"], before["names"]["plural"]);
  }
  CheckNames(definition["status"]["acceptedNames"], "status.acceptedNames", errors);
  CheckStoredVersions(definition, errors);
  CheckApproval(definition, old, errors);
}

}  // namespace berth::server
