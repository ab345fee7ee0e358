// SPDX-License-Identifier: Apache-2.0
// Service accounts of pods: which one a pod has, what comes with it, and which secrets it allows.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>

#include "server/admission/account_token.h"
#include "server/admission/rules.h"

namespace berth::server {
namespace {

// On pods that a kubelet made of its own files; they are as the files say.
constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";
constexpr std::string_view kEnforced = "kubernetes.io/enforce-mountable-secrets";

Refusal Refuse(const AdmissionRequest& request, std::string_view why) {
  return Forbidden(request.resource, request.name, why);
}

bool NamesSecret(const Json& container) {
  const auto from_secret = [](const Json& source) { return source.Has("secretRef"); };
  const auto of_secret = [](const Json& variable) { return variable["valueFrom"].Has("secretKeyRef"); };
  return std::ranges::any_of(container["envFrom"].items(), from_secret) ||
         std::ranges::any_of(container["env"].items(), of_secret);
}

bool NamesSecretInVolume(const Json& volume) {
  if (volume.Has("azureFile") || volume.Has("secret")) return true;
  for (const std::string_view source : {"cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"}) {
    if (volume[source].Has("secretRef")) return true;
  }
  if (volume["csi"].Has("nodePublishSecretRef")) return true;
  return std::ranges::any_of(volume["projected"]["sources"].items(),
                             [](const Json& source) { return source.Has("secret"); });
}

Outcome<void> CheckMirrorPod(const AdmissionRequest& request) {
  const Json& spec = (*request.object)["spec"];
  if (!spec["serviceAccountName"].text().empty()) {
    return Refuse(request, "a mirror pod may not reference service accounts");
  }
  bool names_secret =
      !spec["imagePullSecrets"].empty() || std::ranges::any_of(spec["volumes"].items(), NamesSecretInVolume);
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    names_secret = names_secret || std::ranges::any_of(spec[list].items(), NamesSecret);
  }
  if (names_secret) return Refuse(request, "a mirror pod may not reference secrets");
  for (const Json& volume : spec["volumes"].items()) {
    const bool has_token = std::ranges::any_of(volume["projected"]["sources"].items(),
                                               [](const Json& source) { return source.Has("serviceAccountToken"); });
    if (has_token) return Refuse(request, "a mirror pod may not use ServiceAccountToken volume projections");
  }
  return {};
}

// Whether the account has nothing to say about its pods. Every new pod asks: most are told apart without being read.
bool IsPlain(const StoredObject& account) {
  constexpr std::string_view kWords[] = {"automountServiceAccountToken", "imagePullSecrets", kEnforced};
  const std::string& text = *account.json();
  return std::ranges::all_of(kWords, [&](std::string_view word) { return text.find(word) == text.npos; });
}

// The account that the pod names; null if it says nothing. The default one is about to come if it is not there.
Outcome<Json> FindAccount(const AdmissionRequest& request, const ClusterView& cluster) {
  const std::string& name = (*request.object)["spec"]["serviceAccountName"].text();
  if (name.empty()) {
    return Refuse(request, fmt::format("no service account specified for pod {}/{}", request.ns, request.name));
  }
  const ObjectPtr found = cluster.store.Find(cluster.catalog.Get("", "serviceaccounts"), request.ns, name);
  if (found != nullptr) return IsPlain(*found) ? Json() : found->Tree();
  if (name == kDefaultAccount) return Json();
  return Refuse(request, fmt::format("error looking up service account {0}/{1}: serviceaccount \"{1}\" not found",
                                     request.ns, name));
}

// The secrets that an account allows to its pods.
class AllowedSecrets {
 public:
  AllowedSecrets(const AdmissionRequest& request, const Json& account)
      : request_(request), account_(account["metadata"]["name"].text()) {
    for (const Json& secret : account["secrets"].items()) mountable_.insert(secret["name"].text());
    for (const Json& secret : account["imagePullSecrets"].items()) for_images_.insert(secret["name"].text());
  }

  Outcome<void> CheckVolumes(const Json& volumes) const {
    for (const Json& volume : volumes.items()) {
      const Json* secret = volume.Find("secret");
      if (secret == nullptr || mountable_.contains((*secret)["secretName"].text())) continue;
      return Deny("volume with secret", (*secret)["secretName"].text());
    }
    return {};
  }

  // `what`: container, with what kind of one it is.
  Outcome<void> CheckContainers(const Json& containers, std::string_view what) const {
    for (const Json& container : containers.items()) {
      const std::string& name = container["name"].text();
      for (const Json& variable : container["env"].items()) {
        const Json* secret = variable["valueFrom"].Find("secretKeyRef");
        if (secret == nullptr || mountable_.contains((*secret)["name"].text())) continue;
        return Deny(fmt::format("{} {} with envVar {} referencing secret", what, name, variable["name"].text()),
                    (*secret)["name"].text());
      }
      for (const Json& source : container["envFrom"].items()) {
        const Json* secret = source.Find("secretRef");
        if (secret == nullptr || mountable_.contains((*secret)["name"].text())) continue;
        return Deny(fmt::format("{} {} with envFrom referencing secret", what, name), (*secret)["name"].text());
      }
    }
    return {};
  }

  Outcome<void> CheckImages(const Json& secrets) const {
    for (size_t i = 0; i < secrets.size(); ++i) {
      const std::string& name = secrets[i]["name"].text();
      if (for_images_.contains(name)) continue;
      return Refuse(request_, fmt::format("imagePullSecrets[{}].name=\"{}\" is not allowed because service account {} "
                                          "does not reference that imagePullSecret",
                                          i, name, account_));
    }
    return {};
  }

 private:
  Refusal Deny(std::string_view what, std::string_view secret) const {
    return Refuse(
        request_,
        fmt::format("{}.secretName=\"{}\" is not allowed because service account {} does not reference that secret",
                    what, secret, account_));
  }

  const AdmissionRequest& request_;
  const std::string& account_;
  std::set<std::string, std::less<>> mountable_;
  std::set<std::string, std::less<>> for_images_;
};

bool EnforcesSecrets(const Json& account) {
  const std::string& value = account["metadata"]["annotations"][kEnforced].text();
  constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  return std::ranges::find(kTrue, value) != std::end(kTrue);
}

Outcome<void> CheckSecrets(const AdmissionRequest& request, const Json& account) {
  if (!EnforcesSecrets(account)) return {};
  const Json& spec = (*request.object)["spec"];
  const AllowedSecrets allowed(request, account);
  BERTH_CHECK_OK(allowed.CheckVolumes(spec["volumes"]));
  BERTH_CHECK_OK(allowed.CheckContainers(spec["initContainers"], "init container"));
  BERTH_CHECK_OK(allowed.CheckContainers(spec["containers"], "container"));
  return allowed.CheckImages(spec["imagePullSecrets"]);
}

bool MountsToken(const Json& spec, const Json& account) {
  const Json* own = spec.Find("automountServiceAccountToken");
  const Json* general = account.Find("automountServiceAccountToken");
  return own != nullptr ? own->AsBool() : general == nullptr || general->AsBool();
}

}  // namespace

Outcome<void> SetServiceAccount(const AdmissionRequest& request, const ClusterView& cluster) {
  const bool is_new_pod =
      request.verb == Verb::kCreate && request.resource.plural == "pods" && request.resource.group.empty();
  if (cluster.extent == Extent::kApi || !is_new_pod) return {};
  const bool is_whole = cluster.extent == Extent::kWhole;
  const Json& pod = *request.object;
  if (pod["metadata"]["annotations"].Has(kMirrorPod)) {
    return is_whole ? CheckMirrorPod(request) : Outcome<void>();
  }
  Json& spec = request.object->Make("spec");
  if (spec["serviceAccountName"].text().empty()) {
    spec.Set("serviceAccountName", kDefaultAccount);
    spec.Set("serviceAccount", kDefaultAccount);  // Its old name.
  }
  if (!is_whole) return {};
  const Json account = BERTH_TRY(FindAccount(request, cluster));
  if (MountsToken(spec, account)) MountAccountToken(spec, cluster.random);
  if (spec["imagePullSecrets"].empty()) {
    for (const Json& secret : account["imagePullSecrets"].items()) {
      spec.Make("imagePullSecrets").Append(Json{{"name", secret["name"]}});
    }
  }
  return CheckSecrets(request, account);
}

}  // namespace berth::server
