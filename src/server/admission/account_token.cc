// SPDX-License-Identifier: Apache-2.0
#include "server/admission/account_token.h"

#include <algorithm>
#include <string>

#include "server/model/random_suffix.h"

namespace berth::server {
namespace {

constexpr std::string_view kPrefix = "kube-api-access-";
constexpr std::string_view kPath = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr int64_t kDefaultMode = 0644;
constexpr int64_t kExpirationSeconds = 3607;  // Above an hour, by which kubelets know a token that was not asked for.

Json MakeSources() {
  Json token{{"expirationSeconds", Json::Int(kExpirationSeconds)}, {"path", Json::String("token")}};
  Json certificates{
      {"name", Json::String("kube-root-ca.crt")},
      {"items", Json::MakeList({Json{{"key", Json::String("ca.crt")}, {"path", Json::String("ca.crt")}}})}};
  Json field{{"apiVersion", Json::String("v1")}, {"fieldPath", Json::String("metadata.namespace")}};
  Json space{{"items", Json::MakeList({Json{{"path", Json::String("namespace")}, {"fieldRef", std::move(field)}}})}};
  return Json{{"defaultMode", Json::Int(kDefaultMode)},
              {"sources", Json::MakeList({Json{{"serviceAccountToken", std::move(token)}},
                                          Json{{"configMap", std::move(certificates)}},
                                          Json{{"downwardAPI", std::move(space)}}})}};
}

// Whether some container got it.
bool MountIn(Json* containers, const Json& mount) {
  if (containers == nullptr || containers->empty()) return false;
  bool is_mounted = false;
  for (Json& container : containers->mutable_items()) {
    const Json& present = container["volumeMounts"];
    if (std::ranges::any_of(present.items(), [](const Json& other) { return other["mountPath"].text() == kPath; })) {
      continue;
    }
    container.Make("volumeMounts").Append(mount);
    is_mounted = true;
  }
  return is_mounted;
}

}  // namespace

void MountAccountToken(Json& spec, Random& random) {
  static const Json kSources = MakeSources();
  static const Json kPathText = Json::String(kPath);
  const Json::List& volumes = spec["volumes"].items();
  const auto present =
      std::ranges::find_if(volumes, [](const Json& volume) { return volume["name"].text().starts_with(kPrefix); });
  const bool is_present = present != volumes.end();
  const Json name = is_present ? (*present)["name"] : Json::String(std::string(kPrefix) + RandomSuffix(random));
  const Json mount{{"mountPath", kPathText}, {"name", name}, {"readOnly", Json::Bool(true)}};
  const bool is_first = MountIn(spec.Find("initContainers"), mount);
  const bool is_mounted = MountIn(spec.Find("containers"), mount) || is_first;
  if (is_mounted && !is_present) {
    spec.Make("volumes").Append(Json{{"name", name}, {"projected", kSources}});
  }
}

}  // namespace berth::server
