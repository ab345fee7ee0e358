// SPDX-License-Identifier: Apache-2.0
#include "api/source.h"

#include <fmt/format.h>

#include <utility>

#include "api/document/json_tree.h"
#include "api/typed/typed.h"

namespace berth::api {
namespace {

const wire::Message& MessageOfKind(std::string_view kind) {
  return wire::MessageAt(wire::FindKind("v1", kind)->message);
}

template <class T>
Result<void> Keep(T& object, std::string_view kind, Json tree) {
  const wire::Message& message = MessageOfKind(kind);
  tree.Erase("kind");
  tree.Erase("apiVersion");
  if (const Result<void> done = Canonicalize(tree, message); !done) {
    return Invalid(fmt::format("{} {}: {}", kind, FullName(object.meta), done.error().message));
  }
  object.source = std::make_shared<const std::string>(EncodeJson(tree, message));
  return {};
}

}  // namespace

Result<void> KeepSource(Pod& pod, Value value) {
  Json tree = Json::FromValue(value);
  if (Json* const metadata = tree.Find("metadata")) metadata->Erase("managedFields");
  return Keep(pod, "Pod", std::move(tree));
}

Result<void> KeepSource(Node& node, Value value) { return Keep(node, "Node", Json::FromValue(value)); }

Result<void> KeepSource(Object& object, Value value) {
  if (auto* const pod = std::get_if<Pod>(&object)) return KeepSource(*pod, value);
  if (auto* const node = std::get_if<Node>(&object)) return KeepSource(*node, value);
  return {};
}

std::string SourceOnNode(std::string_view pod_source, std::string_view node_name) {
  const Result<Document> document = ParseJson(pod_source);
  Json tree = Json::FromValue(document.value().root());  // A source is well formed.
  if (Json* const spec = tree.Find("spec")) spec->Set("nodeName", Json::String(node_name));
  return EncodeJson(tree, MessageOfKind("Pod"));
}

}  // namespace berth::api
