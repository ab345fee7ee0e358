// SPDX-License-Identifier: Apache-2.0
// Volumes whose files come from the API.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "api/parts/selector.h"
#include "server/kinds/pods/container_env.h"
#include "server/kinds/pods/pod_certificate_source.h"
#include "server/kinds/pods/pod_volume_sources.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

constexpr std::array<std::string_view, 5> kFileFields = {"metadata.annotations", "metadata.labels", "metadata.name",
                                                         "metadata.namespace", "metadata.uid"};

void ValidateMode(const Json& object, std::string_view name, const FieldPath& path, FieldErrors& errors) {
  const Json* mode = object.Find(name);
  if (mode == nullptr || (mode->IntOr(-1) >= 0 && mode->IntOr(-1) <= 0777)) return;
  errors.Invalid(path / name, *mode, "must be a number between 0 and 0777 (octal), both inclusive");
}

void ValidateKeyToPath(const Json& item, const FieldPath& path, FieldErrors& errors) {
  Require(errors, path, item, "key");
  Require(errors, path, item, "path");
  CheckLocalPath(errors, path / "path", item["path"].text());
  ValidateMode(item, "mode", path, errors);
}

void ValidateDownwardFile(const Json& file, const FieldPath& path, FieldErrors& errors) {
  Require(errors, path, file, "path");
  CheckLocalPath(errors, path / "path", file["path"].text());
  const Json* field = file.Find("fieldRef");
  const Json* resource = file.Find("resourceFieldRef");
  if (field != nullptr) {
    ValidateFieldRef(*field, kFileFields, path / "fieldRef", errors);
    if (resource != nullptr) {
      errors.Invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resource != nullptr) {
    ValidateResourceFieldRef(*resource, true, path / "resourceFieldRef", errors);
  } else {
    errors.Required(path, "one of fieldRef and resourceFieldRef is required");
  }
  ValidateMode(file, "mode", path, errors);
}

// Files of a projected volume, whose sources must not give the same path twice.
class Projection {
 public:
  Projection(const FieldPath& path, FieldErrors& errors) : path_(path), errors_(errors) {}

  void ValidateSource(const Json& source, const FieldPath& at) {
    int count = 0;
    const auto each = [&](std::string_view name, auto member) {
      const Json* of_kind = source.Find(name);
      if (of_kind == nullptr) return;
      ++count;
      (this->*member)(*of_kind, at / name);
    };
    each("secret", &Projection::ValidateKeys);
    each("configMap", &Projection::ValidateKeys);
    each("downwardAPI", &Projection::ValidateFields);
    each("serviceAccountToken", &Projection::ValidateToken);
    each("clusterTrustBundle", &Projection::ValidateTrustBundle);
    each("podCertificate", &Projection::ValidateCertificate);
    if (count > 1) errors_.Forbidden(at, "may not specify more than 1 volume type per source");
  }

 private:
  void ValidateKeys(const Json& source, const FieldPath& at) {
    Require(errors_, at, source, "name");
    const FieldPath items_path = at / "items";
    const Json& items = source["items"];
    for (size_t i = 0; i < items.size(); ++i) {
      ValidateKeyToPath(items[i], items_path[i], errors_);
      Take(items[i]["path"].text(), source["name"].text());
    }
  }

  void ValidateFields(const Json& source, const FieldPath& at) {
    for (const Json& file : source["items"].items()) {
      ValidateDownwardFile(file, at, errors_);
      Take(file["path"].text(), file["path"].text());
    }
  }

  void ValidateToken(const Json& token, const FieldPath& at) {
    constexpr int64_t kSecondsMin = 600;
    constexpr int64_t kSecondsMax = int64_t{1} << 32;
    const Json& seconds = token["expirationSeconds"];
    if (seconds.is_null()) {
      errors_.Required(at / "expirationSeconds");
    } else if (seconds.IntOr(0) < kSecondsMin) {
      errors_.Invalid(at / "expirationSeconds", seconds, "may not specify a duration less than 10 minutes");
    } else if (seconds.IntOr(0) > kSecondsMax) {
      errors_.Invalid(at / "expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds");
    }
    if (Require(errors_, path_, token, "path")) CheckLocalPath(errors_, path_ / "path", token["path"].text());
  }

  void ValidateTrustBundle(const Json& bundle, const FieldPath& at) {
    if (!bundle.Has("name") && !bundle.Has("signerName")) {
      errors_.Required(at, "either name or signerName must be specified");
    } else if (bundle.Has("name")) {
      const std::string& name = bundle["name"].text();
      if (name.empty()) errors_.Required(at / "name", "must be a valid object name");
      if (bundle.Has("labelSelector")) {
        errors_.Invalid(at / "labelSelector", bundle["labelSelector"],
                        "labelSelector must be unset if name is specified");
      }
    } else {
      ValidateLabelSelector(bundle["labelSelector"], at / "labelSelector", errors_);
    }
    Require(errors_, at, bundle, "path");
    CheckLocalPath(errors_, at / "path", bundle["path"].text());
    Take(bundle["path"].text(), bundle["path"].text());
  }

  void ValidateCertificate(const Json& certificate, const FieldPath& at) {
    ValidatePodCertificate(certificate, at, errors_);
    bool has_path = false;
    for (const std::string_view name : {"credentialBundlePath", "keyPath", "certificateChainPath"}) {
      const std::string& path = certificate[name].text();
      if (path.empty()) continue;
      has_path = true;
      CheckLocalPath(errors_, at / name, path);
      Take(path, path);
    }
    if (has_path) return;
    errors_.Required(at, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath");
  }

  void Take(const std::string& target, std::string_view shown) {
    if (target.empty()) return;
    if (std::ranges::find(taken_, target) != taken_.end()) {
      errors_.Invalid(path_, shown, "conflicting duplicate paths");
    } else {
      taken_.push_back(target);
    }
  }

  const FieldPath& path_;
  FieldErrors& errors_;
  std::vector<std::string_view> taken_;
};

}  // namespace

void ValidateFilesVolume(std::string_view type, const Json& source, const FieldPath& path, FieldErrors& errors) {
  const bool is_secret = type == "secret";
  const bool has_keys = is_secret || type == "configMap";
  if (!has_keys && type != "downwardAPI" && type != "projected") return;
  if (has_keys) Require(errors, path, source, is_secret ? "secretName" : "name");
  ValidateMode(source, "defaultMode", path, errors);
  if (has_keys) {
    const FieldPath items_path = path / "items";
    const Json& items = source["items"];
    for (size_t i = 0; i < items.size(); ++i) ValidateKeyToPath(items[i], items_path[i], errors);
  } else if (type == "downwardAPI") {
    for (const Json& file : source["items"].items()) ValidateDownwardFile(file, path, errors);
  } else {
    Projection projection(path, errors);
    const FieldPath sources_path = path / "sources";
    const Json& sources = source["sources"];
    for (size_t i = 0; i < sources.size(); ++i) projection.ValidateSource(sources[i], sources_path[i]);
  }
}

}  // namespace berth::server
