// SPDX-License-Identifier: Apache-2.0
#include "server/store/storage_class.h"

namespace berth::server {
namespace {

constexpr std::string_view kDefaultClassBeta = "storageclass.beta.kubernetes.io/is-default-class";

}  // namespace

bool NamesClass(const Json& claim) {
  return claim["spec"].Has("storageClassName") || claim["metadata"]["annotations"].Has(kClassAnnotation);
}

const std::string& ClassOf(const Json& object) {
  const Json* annotation = object["metadata"]["annotations"].Find(kClassAnnotation);
  return annotation != nullptr ? annotation->text() : object["spec"]["storageClassName"].text();
}

std::string DefaultStorageClass(const Store& store, const Catalog& catalog) {
  std::string best;
  std::string made;
  for (const auto& [key, object] : store.All(catalog.Get("storage.k8s.io", "storageclasses"))) {
    const TreePtr tree = object->tree();
    const Json& metadata = (*tree)["metadata"];
    const Json& annotations = metadata["annotations"];
    if (annotations[kDefaultClassAnnotation].text() != "true" && annotations[kDefaultClassBeta].text() != "true") {
      continue;
    }
    const std::string& created = metadata["creationTimestamp"].text();
    if (!best.empty() && created <= made) continue;
    best = object->name();
    made = created;
  }
  return best;
}

}  // namespace berth::server
