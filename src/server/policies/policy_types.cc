// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_types.h"

#include <algorithm>
#include <initializer_list>

namespace berth::server {
namespace {

using cel::DeclaredType;
using cel::TypeKind;

DeclaredType ListOf(DeclaredType element) {
  DeclaredType list(TypeKind::kList);
  list.element = std::make_unique<DeclaredType>(std::move(element));
  return list;
}

DeclaredType MapOf(DeclaredType value) {
  DeclaredType map(TypeKind::kMap);
  map.element = std::make_unique<DeclaredType>(std::move(value));
  return map;
}

DeclaredType Text() { return DeclaredType(TypeKind::kString); }
DeclaredType Moment() { return DeclaredType(TypeKind::kTimestamp); }

// An object with these texts; other fields are added.
DeclaredType ObjectOf(std::string_view name, std::initializer_list<std::string_view> texts) {
  DeclaredType object(TypeKind::kStruct);
  object.name = name;
  for (const std::string_view text : texts) object.fields.push_back({std::string(text), Text()});
  return object;
}

void Add(DeclaredType& object, std::string_view name, DeclaredType type) {
  object.fields.push_back({std::string(name), std::move(type)});
}

DeclaredType Sorted(DeclaredType object) {
  std::ranges::sort(object.fields, {}, &cel::DeclaredField::name);
  return object;
}

DeclaredType MakeRequestType() {
  const auto kind = [] { return Sorted(ObjectOf("kubernetes.GroupVersionKind", {"group", "version", "kind"})); };
  const auto resource = [] {
    return Sorted(ObjectOf("kubernetes.GroupVersionResource", {"group", "version", "resource"}));
  };
  DeclaredType user = ObjectOf("kubernetes.UserInfo", {"username", "uid"});
  Add(user, "groups", ListOf(Text()));
  Add(user, "extra", MapOf(ListOf(Text())));
  DeclaredType request =
      ObjectOf("kubernetes.AdmissionRequest", {"subResource", "requestSubResource", "name", "namespace", "operation"});
  Add(request, "kind", kind());
  Add(request, "requestKind", kind());
  Add(request, "resource", resource());
  Add(request, "requestResource", resource());
  Add(request, "userInfo", Sorted(std::move(user)));
  Add(request, "dryRun", DeclaredType(TypeKind::kBool));
  Add(request, "options", DeclaredType(TypeKind::kDyn));
  return Sorted(std::move(request));
}

DeclaredType MakeNamespaceType() {
  DeclaredType spec = ObjectOf("kubernetes.NamespaceSpec", {});
  Add(spec, "finalizers", ListOf(Text()));
  DeclaredType condition = ObjectOf("kubernetes.NamespaceCondition", {"status", "type", "message", "reason"});
  Add(condition, "lastTransitionTime", Moment());
  DeclaredType status = ObjectOf("kubernetes.NamespaceStatus", {"phase"});
  Add(status, "conditions", ListOf(Sorted(std::move(condition))));
  DeclaredType metadata =
      ObjectOf("kubernetes.NamespaceMetadata", {"name", "generateName", "namespace", "UID", "resourceVersion"});
  for (const std::string_view name : {"labels", "annotations"}) Add(metadata, name, MapOf(Text()));
  for (const std::string_view name : {"creationTimestamp", "deletionTimestamp"}) Add(metadata, name, Moment());
  for (const std::string_view name : {"deletionGracePeriodSeconds", "generation"}) {
    Add(metadata, name, DeclaredType(TypeKind::kInt));
  }
  Add(metadata, "finalizers", ListOf(Text()));
  DeclaredType made = ObjectOf("kubernetes.Namespace", {});
  Add(made, "metadata", Sorted(std::move(metadata)));
  Add(made, "spec", std::move(spec));
  Add(made, "status", Sorted(std::move(status)));
  return Sorted(std::move(made));
}

}  // namespace

const DeclaredType& DynamicType() {
  static const DeclaredType kDynamic(TypeKind::kDyn);
  return kDynamic;
}

const DeclaredType& RequestType() {
  static const DeclaredType kRequest = MakeRequestType();
  return kRequest;
}

const DeclaredType& NamespaceType() {
  static const DeclaredType kNamespace = MakeNamespaceType();
  return kNamespace;
}

DeclaredType DeclareTypeOf(const cel::Type& type) {
  switch (type.kind) {
    case TypeKind::kAny:
    case TypeKind::kBool:
    case TypeKind::kBytes:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kNull:
    case TypeKind::kString:
    case TypeKind::kTimestamp:
    case TypeKind::kUint: return DeclaredType(type.kind);
    case TypeKind::kList: return ListOf(DeclareTypeOf(*type.params[0]));
    case TypeKind::kMap:
      if (type.params[0]->Is(TypeKind::kString)) return MapOf(DeclareTypeOf(*type.params[1]));
      break;
    default: break;
  }
  return DeclaredType(TypeKind::kDyn);
}

}  // namespace berth::server
