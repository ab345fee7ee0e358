// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_certificate_source.h"

#include <fmt/format.h>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "server/model/checks.h"
#include "server/model/signer_name.h"

namespace berth::server {
namespace {

constexpr int64_t kLifetimeMin = 3600;
constexpr int64_t kLifetimeMax = int64_t{91} * 24 * 60 * 60;
constexpr int64_t kKubernetesLifetimeMax = int64_t{24} * 60 * 60;
constexpr size_t kUserAnnotationBytesMax = size_t{256} << 10;

void ValidateLifetime(const Json& source, const FieldPath& path, FieldErrors& errors) {
  const Json& seconds = source["maxExpirationSeconds"];
  if (seconds.is_null()) return;
  if (seconds.IntOr(0) < kLifetimeMin) {
    errors.Invalid(path, seconds, fmt::format("if provided, maxExpirationSeconds must be >= {}", kLifetimeMin));
  }
  const int64_t max = IsKubernetesSigner(source["signerName"].text()) ? kKubernetesLifetimeMax : kLifetimeMax;
  if (seconds.IntOr(0) > max) {
    errors.Invalid(path, seconds, fmt::format("if provided, maxExpirationSeconds must be <= {}", max));
  }
}

void ValidateUserAnnotations(const Json& annotations, const FieldPath& path, FieldErrors& errors) {
  size_t bytes = 0;
  for (const Json::Member& annotation : annotations.members()) {
    const std::string key = Lower(annotation.name);
    bytes += key.size() + annotation.value.text().size();
    const Problems problems = api::ValidateQualifiedName(key);
    if (key.empty()) {
      errors.Required(path);
    } else if (!problems.empty()) {
      Report(errors, path, key, problems);
    } else if (key.find('/') == std::string::npos) {
      errors.Invalid(path, key, "must be a domain-prefixed key (such as \"acme.io/foo\")");
    }
  }
  if (bytes > kUserAnnotationBytesMax) errors.TooLong(path, kUserAnnotationBytesMax);
}

}  // namespace

void ValidatePodCertificate(const Json& source, const FieldPath& path, FieldErrors& errors) {
  CheckSignerName(errors, path / "signerName", source["signerName"].text());
  ValidateUserAnnotations(source["userAnnotations"], path / "userAnnotations", errors);
  CheckUnixIdMember(errors, path, source, "user");
  CheckOneOf(errors, path / "keyType", source["keyType"].text(),
             {"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"});
  ValidateLifetime(source, path / "maxExpirationSeconds", errors);
}

}  // namespace berth::server
