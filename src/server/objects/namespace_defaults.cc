// SPDX-License-Identifier: Apache-2.0
#include "server/objects/namespace_defaults.h"

namespace berth::server {
namespace {

constexpr std::string_view kDescription = "kubernetes.io/description";

Json NewObject(std::string_view kind, std::string_view ns, std::string_view name) {
  return Json{{"apiVersion", Json::String("v1")},
              {"kind", Json::String(kind)},
              {"metadata", Json{{"name", Json::String(name)}, {"namespace", Json::String(ns)}}}};
}

void SetCertificates(Json& config, const std::string& root_ca) {
  Json& annotations = config.Make({"metadata", "annotations"});
  if (annotations[kDescription].text().empty()) {
    annotations.Set(kDescription,
                    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints "
                    "such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across "
                    "distributions of Kubernetes clusters.");
  }
  config.Set("data", Json{{"ca.crt", Json::String(root_ca)}});
}

}  // namespace

Outcome<void> AddNamespaceDefaults(Objects& objects, std::string_view ns, const std::string& root_ca) {
  const Catalog& catalog = objects.catalog();
  const ObjectPtr found = objects.store().Find(catalog.Get("", "namespaces"), "", ns);
  if (found == nullptr || found->Field("status.phase") == "Terminating") return {};
  const WriteOptions options{.manager = "kube-controller-manager"};
  const Resource& accounts = catalog.Get("", "serviceaccounts");
  if (objects.store().Find(accounts, ns, kDefaultAccount) == nullptr) {
    BERTH_CHECK_OK(objects.Create(accounts, ns, NewObject("ServiceAccount", ns, kDefaultAccount), options));
  }
  const auto edit = [&](const Json& current) -> Outcome<Json> {
    Json config = current;
    SetCertificates(config, root_ca);
    return config;
  };
  BERTH_CHECK_OK(objects.Update(catalog.Get("", "configmaps"), ns, kRootCaConfig, options, edit,
                                [&] { return edit(NewObject("ConfigMap", ns, kRootCaConfig)); }));
  return {};
}

}  // namespace berth::server
