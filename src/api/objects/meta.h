// SPDX-License-Identifier: Apache-2.0
// ObjectMeta: what every Kubernetes object carries, as far as scheduling reads it.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/parts/labels.h"
#include "base/time.h"

namespace berth::api {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;

  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;
  int64_t generation = 0;
  Labels labels;
  Labels annotations;
  std::optional<Time> creation_timestamp;
  std::optional<Time> deletion_timestamp;
  std::vector<OwnerReference> owner_references;

  bool operator==(const ObjectMeta&) const = default;

  const OwnerReference* controller() const {
    for (const OwnerReference& owner : owner_references) {
      if (owner.controller) return &owner;
    }
    return nullptr;
  }
};

// "namespace/name", or the name alone for cluster-scoped objects.
inline std::string FullName(const ObjectMeta& meta) { return meta.ns.empty() ? meta.name : meta.ns + "/" + meta.name; }

// A whole object as canonical JSON without kind and apiVersion, or null. It is kept only where extenders are to be sent
// it (see source.h), and shared by all who keep it. Texts are compared, not pointers.
struct SourceText : std::shared_ptr<const std::string> {
  SourceText() = default;
  SourceText(std::shared_ptr<const std::string> text) : shared_ptr(std::move(text)) {}

  bool operator==(std::nullptr_t) const { return get() == nullptr; }
  bool operator==(const SourceText& other) const {
    return get() == other.get() || (get() != nullptr && other.get() != nullptr && **this == *other);
  }
};

}  // namespace berth::api
