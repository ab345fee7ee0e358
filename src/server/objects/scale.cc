// SPDX-License-Identifier: Apache-2.0
#include "server/objects/scale.h"

#include <fmt/format.h>

#include "api/document/field_error.h"
#include "server/custom/custom_kind.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

// The scale of a custom resource, whose fields are where its definition says.
void SetCustomScale(const Json& object, const ScalePaths& paths, Json& scale) {
  scale.Set("spec", Json::MakeMap());
  if (const int64_t replicas = ValueAt(object, paths.spec_replicas).IntOr(0); replicas != 0) {
    scale.Make("spec").Set("replicas", Json::Int(replicas));
  }
  Json& status = scale.Make("status");
  status.Set("replicas", Json::Int(ValueAt(object, paths.status_replicas).IntOr(0)));
  const std::string& selector = ValueAt(object, paths.label_selector).text();
  if (!paths.label_selector.empty() && !selector.empty()) status.Set("selector", selector);
}

}  // namespace

Json MakeScale(const Resource& resource, const Json& object) {
  const Json& metadata = object["metadata"];
  Json scale{{"kind", Json::String("Scale")}, {"apiVersion", Json::String("autoscaling/v1")}};
  for (const std::string_view name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    scale.Make("metadata").Set(name, metadata[name]);
  }
  if (resource.custom != nullptr) {
    SetCustomScale(object, *resource.custom->scale(), scale);
    return scale;
  }
  const Json& replicas = object["spec"]["replicas"];
  scale.Set("spec", Json::MakeMap());
  if (replicas.IntOr(0) != 0) scale.Make("spec").Set("replicas", replicas);
  Json& status = scale.Make("status");
  status.Set("replicas", Json::Int(object["status"]["replicas"].IntOr(0)));
  const Json& selector = object["spec"]["selector"];
  // A ReplicationController's selector is a plain map.
  if (object["kind"].text() == "ReplicationController") {
    api::Selector labels;
    for (const Json::Member& label : selector.members()) {
      labels.Add(
          {.key = label.name, .op = api::Selector::Op::kIn, .values = {label.value.text()}, .is_equality = true});
    }
    status.Set("selector", labels.ToString());
  } else if (const auto compiled = api::Selector::Compile(ReadLabelSelector(selector)); compiled) {
    status.Set("selector", compiled->ToString());
  }
  return scale;
}

Outcome<void> CheckScale(const Resource& resource, const Json& object) {
  if (resource.custom == nullptr) return {};
  const std::string& path = resource.custom->scale()->spec_replicas;
  if (ValueAt(object, path).AsInt()) return {};
  return InternalError(fmt::format("the spec replicas field {} does not exist", api::GoQuote(path)));
}

void SetReplicas(const Resource& resource, Json& object, int64_t replicas) {
  if (resource.custom != nullptr) {
    SetValueAt(object, resource.custom->scale()->spec_replicas, Json::Int(replicas));
  } else {
    object.Make("spec").Set("replicas", Json::Int(replicas));
  }
}

}  // namespace berth::server
