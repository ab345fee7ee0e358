// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/prefer_avoid.h"

#include <algorithm>
#include <string>

#include <boost/algorithm/string/predicate.hpp>

#include "api/document/value.h"
#include "base/time.h"

namespace berth::plugins::legacy {
namespace {

using api::Value;

// Reads members as Go's encoding/json does: names in any case, the last one counts, null is the same as absent. A value
// of the wrong type spoils the whole text.
class AnnotationReader {
 public:
  bool ok() const { return ok_; }

  Value Member(Value object, std::string_view name, Value::Kind kind) {
    Value found;
    for (size_t i = 0; i < object.size(); ++i) {
      if (boost::iequals(object.key(i), name)) found = object[i];
    }
    return Expect(found, kind);
  }
  Value Expect(Value value, Value::Kind kind) {
    if (value.is_null()) return value;
    ok_ &= value.kind() == kind;
    return ok_ ? value : Value();
  }

  std::string Text(Value object, std::string_view name) {
    return std::string(Member(object, name, Value::Kind::kString).text());
  }
  void CheckTime(Value object, std::string_view name) {
    const Value time = Member(object, name, Value::Kind::kString);
    ok_ &= time.is_null() || ParseTime(time.text()).has_value();
  }

 private:
  bool ok_ = true;
};

api::OwnerReference ReadController(AnnotationReader& reader, Value controller) {
  api::OwnerReference reference;
  reference.api_version = reader.Text(controller, "apiVersion");
  reference.kind = reader.Text(controller, "kind");
  reference.name = reader.Text(controller, "name");
  reference.uid = reader.Text(controller, "uid");
  reference.controller = reader.Member(controller, "controller", Value::Kind::kBool).AsBool().value_or(false);
  reader.Member(controller, "blockOwnerDeletion", Value::Kind::kBool);
  return reference;
}

}  // namespace

std::vector<api::OwnerReference> ReadAvoidedControllers(std::string_view annotation) {
  const Result<api::Document> document = api::ParseJson(annotation);
  if (!document) return {};
  AnnotationReader reader;
  std::vector<api::OwnerReference> controllers;
  const Value root = reader.Expect(document->root(), Value::Kind::kMap);
  const Value entries = reader.Member(root, "preferAvoidPods", Value::Kind::kList);
  for (size_t i = 0; i < entries.size() && reader.ok(); ++i) {
    const Value entry = reader.Expect(entries[i], Value::Kind::kMap);
    reader.CheckTime(entry, "evictionTime");
    reader.Text(entry, "reason");
    reader.Text(entry, "message");
    const Value signature = reader.Member(entry, "podSignature", Value::Kind::kMap);
    const Value controller = reader.Member(signature, "podController", Value::Kind::kMap);
    if (!controller.is_null()) controllers.push_back(ReadController(reader, controller));
  }
  return reader.ok() ? controllers : std::vector<api::OwnerReference>();
}

bool IsAvoided(const api::OwnerReference& controller, const api::Labels& annotations) {
  if (controller.kind != "ReplicationController" && controller.kind != "ReplicaSet") return false;
  const std::string* annotation = annotations.Find(kPreferAvoidPodsAnnotation);
  if (annotation == nullptr) return false;
  return std::ranges::any_of(ReadAvoidedControllers(*annotation), [&](const api::OwnerReference& avoided) {
    return avoided.kind == controller.kind && avoided.uid == controller.uid;
  });
}

}  // namespace berth::plugins::legacy
