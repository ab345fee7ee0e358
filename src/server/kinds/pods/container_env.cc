// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/container_env.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 9> kVariableFields = {
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};

// Those that exist, usable here or not.
constexpr std::array<std::string_view, 15> kKnownFields = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs",   "spec.host"};

constexpr std::array<std::string_view, 6> kResourceFields = {
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory"};

bool Has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool IsHugePagesField(std::string_view name) {
  return name.starts_with("requests.hugepages-") || name.starts_with("limits.hugepages-");
}

// metadata.labels['app'] -> metadata.labels and app.
struct Subscripted {
  std::string_view path;
  std::string_view key;
  bool has_key = false;
};

Subscripted Split(std::string_view field) {
  const size_t at = field.find("['");
  if (at == field.npos || at == 0 || !field.ends_with("']")) return {.path = field, .key = {}};
  return {.path = field.substr(0, at), .key = field.substr(at + 2, field.size() - at - 4), .has_key = true};
}

void ValidateDivisor(std::string_view resource, const Json& divisor, const FieldPath& path, FieldErrors& errors) {
  if (divisor.text().empty() || ToQuantity(divisor).IsZero()) return;
  const std::string& text = divisor.text();
  const FieldPath at = path / "divisor";
  if (resource.ends_with(".cpu")) {
    if (text != "1m" && text != "1") {
      errors.Invalid(at, resource, "only divisor's values 1m and 1 are supported with the cpu resource");
    }
    return;
  }
  const std::string_view what = resource.ends_with(".memory")              ? "memory"
                                : resource.ends_with(".ephemeral-storage") ? "local ephemeral storage"
                                : IsHugePagesField(resource)               ? "hugepages"
                                                                           : "";
  if (what.empty()) return;
  constexpr std::array<std::string_view, 13> kUnits = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                                       "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
  if (Has(kUnits, text)) return;
  errors.Invalid(at, resource,
                 fmt::format("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are "
                             "supported with the {} resource",
                             what));
}

void ValidateKeyRef(const Json& reference, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = reference["name"].text();
  Report(errors, path / "name", name, api::ValidateDnsSubdomain(name));
  if (!Require(errors, path, reference, "key")) return;
  Report(errors, path / "key", reference["key"].text(), CheckConfigKey(reference["key"].text()));
}

void ValidateFileKeyRef(const Json& reference, const FieldPath& path, FieldErrors& errors) {
  if (Require(errors, path, reference, "key")) {
    Report(errors, path / "key", reference["key"].text(), CheckEnvironmentName(reference["key"].text()));
  }
  CheckRequiredDnsLabel(errors, path, reference, "volumeName");
  if (Require(errors, path, reference, "path")) CheckNoBacksteps(errors, path / "path", reference["path"].text());
}

void ValidateValueFrom(const Json& variable, const FieldPath& path, FieldErrors& errors) {
  const Json* source = variable.Find("valueFrom");
  if (source == nullptr) return;
  int count = 0;
  const auto each = [&](std::string_view name, auto&& validate) {
    const Json* reference = source->Find(name);
    if (reference == nullptr) return;
    ++count;
    validate(*reference, path / name);
  };
  each("fieldRef", [&](const Json& ref, const FieldPath& at) { ValidateFieldRef(ref, kVariableFields, at, errors); });
  each("resourceFieldRef",
       [&](const Json& ref, const FieldPath& at) { ValidateResourceFieldRef(ref, false, at, errors); });
  each("configMapKeyRef", [&](const Json& ref, const FieldPath& at) { ValidateKeyRef(ref, at, errors); });
  each("secretKeyRef", [&](const Json& ref, const FieldPath& at) { ValidateKeyRef(ref, at, errors); });
  each("fileKeyRef", [&](const Json& ref, const FieldPath& at) { ValidateFileKeyRef(ref, at, errors); });

  if (count == 0) {
    errors.Invalid(path, "",
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
                   "`fileKeyRef`");
  } else if (!variable["value"].text().empty()) {
    errors.Invalid(path, "", "may not be specified when `value` is not empty");
  } else if (count > 1) {
    errors.Invalid(path, "", "may not have more than one field specified at a time");
  }
}

void ValidateEnvironmentSource(const Json& source, const FieldPath& list_path, const FieldPath& path,
                               FieldErrors& errors) {
  const std::string& prefix = source["prefix"].text();
  if (!prefix.empty()) Report(errors, path / "prefix", prefix, CheckEnvironmentName(prefix));
  int count = 0;
  for (const std::string_view kind : {"configMapRef", "secretRef"}) {
    const Json* reference = source.Find(kind);
    if (reference == nullptr) continue;
    ++count;
    const FieldPath at = path / kind;
    if (!Require(errors, at, *reference, "name")) continue;
    std::string_view name = (*reference)["name"].text();
    const std::string& written = (*reference)["name"].text();
    // Upstream takes the name for a prefix here, to which a hyphen at the end does no harm.
    if (name.size() > 1 && name.ends_with('-')) name.remove_suffix(1);
    Report(errors, at / "name", written, api::ValidateDnsSubdomain(name));
  }
  if (count == 0) {
    errors.Invalid(list_path, "", "must specify one of: `configMapRef` or `secretRef`");
  } else if (count > 1) {
    errors.Invalid(list_path, "", "may not have more than one field specified at a time");
  }
}

}  // namespace

void ValidateFieldRef(const Json& reference, std::span<const std::string_view> fields, const FieldPath& path,
                      FieldErrors& errors) {
  if (!Require(errors, path, reference, "apiVersion") || !Require(errors, path, reference, "fieldPath")) return;
  const std::string& version = reference["apiVersion"].text();
  const std::string& field = reference["fieldPath"].text();
  const auto [name, key, has_key] = Split(field);
  const bool is_map = name == "metadata.annotations" || name == "metadata.labels";

  std::string problem;
  if (version != "v1") {
    problem = "unsupported pod version: " + version;
  } else if (has_key && !is_map) {
    problem = "field label does not support subscript: " + field;
  } else if (!has_key && !Has(kKnownFields, field)) {
    problem = "field label not supported: " + field;
  }
  if (!problem.empty()) return errors.Invalid(path / "fieldPath", field, "error converting fieldPath: " + problem);

  if (has_key) {
    CheckQualifiedName(errors, path, name == "metadata.annotations" ? Lower(key) : std::string(key));
  } else if (const std::string_view usable = field == "spec.host" ? "spec.nodeName" : std::string_view(field);
             !Has(fields, usable)) {
    errors.NotSupported(path / "fieldPath", usable, {fields.begin(), fields.end()});
  }
}

void ValidateResourceFieldRef(const Json& reference, bool is_volume, const FieldPath& path, FieldErrors& errors) {
  const std::string& resource = reference["resource"].text();
  if (!(is_volume && !Require(errors, path, reference, "containerName")) &&
      Require(errors, path, reference, "resource") && !Has(kResourceFields, resource) && !IsHugePagesField(resource)) {
    errors.NotSupported(path / "resource", resource, {kResourceFields.begin(), kResourceFields.end()});
  }
  ValidateDivisor(resource, reference["divisor"], path, errors);
}

void ValidateEnvironment(const Json& container, const FieldPath& path, FieldErrors& errors) {
  const FieldPath variables_path = path / "env";
  const Json& variables = container["env"];
  for (size_t i = 0; i < variables.size(); ++i) {
    const FieldPath at = variables_path[i];
    if (Require(errors, at, variables[i], "name")) {
      const std::string& name = variables[i]["name"].text();
      Report(errors, at / "name", name, CheckEnvironmentName(name));
    }
    ValidateValueFrom(variables[i], at / "valueFrom", errors);
  }
  const FieldPath sources_path = path / "envFrom";
  const Json& sources = container["envFrom"];
  for (size_t i = 0; i < sources.size(); ++i) {
    ValidateEnvironmentSource(sources[i], sources_path, sources_path[i], errors);
  }
}

}  // namespace berth::server
