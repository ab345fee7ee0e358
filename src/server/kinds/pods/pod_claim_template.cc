// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_claim_template.h"

#include <string>

#include "api/parts/selector.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

bool IsAccessMode(std::string_view mode) {
  return mode == "ReadOnlyMany" || mode == "ReadWriteMany" || mode == "ReadWriteOnce" || mode == "ReadWriteOncePod";
}

void ValidateDataSource(const Json* source, const FieldPath& path, FieldErrors& errors) {
  if (source == nullptr) return;
  Require(errors, path, *source, "name");
  Require(errors, path, *source, "kind");
  const std::string& kind = (*source)["kind"].text();
  if ((*source)["apiGroup"].text().empty() && kind != "PersistentVolumeClaim") {
    errors.Invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
}

}  // namespace

void ValidateAccessModes(const Json& modes, const FieldPath& path, FieldErrors& errors) {
  bool has_single = false;
  bool has_other = false;
  for (const Json& mode : modes.items()) {
    CheckOneOf(errors, path, mode.text(), {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    const bool is_known = IsAccessMode(mode.text());
    const bool is_single = mode.text() == "ReadWriteOncePod";
    has_single |= is_single;
    has_other |= is_known && !is_single;
  }
  if (has_single && has_other) errors.Forbidden(path, "may not use ReadWriteOncePod with other access modes");
}

void ValidateClassName(const Json& spec, std::string_view name, const FieldPath& path, FieldErrors& errors) {
  const std::string& text = spec[name].text();
  if (!text.empty()) Report(errors, path / name, text, api::ValidateDnsSubdomain(text));
}

void ValidateClaimTemplateSpec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  if (spec["accessModes"].empty()) errors.Required(path / "accessModes", "at least 1 access mode is required");
  if (spec.Has("selector")) ValidateLabelSelector(spec["selector"], path / "selector", errors);
  ValidateAccessModes(spec["accessModes"], path / "accessModes", errors);

  const FieldPath resources = path / "resources";
  const Json* storage = spec["resources"]["requests"].Find("storage");
  if (storage == nullptr) {
    errors.Required(resources.Key("storage"));
  } else if (ToQuantity(*storage).Sign() <= 0) {
    errors.Invalid(resources.Key("storage"), *storage, "must be greater than zero");
  }
  ValidateClassName(spec, "storageClassName", path, errors);
  CheckMemberOneOf(errors, path, spec, "volumeMode", {"Block", "Filesystem"});
  ValidateDataSource(spec.Find("dataSource"), path / "dataSource", errors);
  ValidateDataSource(spec.Find("dataSourceRef"), path / "dataSourceRef", errors);
  ValidateClassName(spec, "volumeAttributesClassName", path, errors);
}

}  // namespace berth::server
