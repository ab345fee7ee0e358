// SPDX-License-Identifier: Apache-2.0
// StoredObject: one version of an object, as its JSON text and what lists and watches ask of it.
//
// The text is made at once where somebody will ask for it, and otherwise when the tree goes: most versions are replaced
// before.
//
// The protobuf form is made when it is asked for. It is kept only while the version is new, when every watcher is about
// to ask for it; later it costs more memory than it saves time. For the same reason the tree is kept while the version
// is fresh, a shorter time, in which controllers look at it and the next write follows. After that it lives as long as
// somebody holds it.
//
// Thread: one.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/parts/labels.h"
#include "base/result.h"
#include "server/model/json.h"
#include "server/model/resource.h"

namespace berth::server {

using Revision = int64_t;
// Encoded objects are shared between all who are sent them.
using Bytes = std::shared_ptr<const std::string>;
using TreePtr = std::shared_ptr<const Json>;

class StoredObject {
 public:
  // `object` is canonical, has kind and apiVersion and says its own resourceVersion, which is `revision` (0: it was not
  // kept, as in a dry run).
  StoredObject(const Resource& resource, const Json& object, Revision revision);
  // The same, and is fresh.
  enum class Text : uint8_t { kNow, kLate };
  StoredObject(const Resource& resource, TreePtr object, Revision revision, Text text = Text::kNow);
  // From a text that json() gave. Fails if it is no object of this kind with a name and a resourceVersion.
  static Result<std::shared_ptr<const StoredObject>> FromText(const Resource& resource, std::string json);
  StoredObject(const StoredObject&) = delete;
  StoredObject& operator=(const StoredObject&) = delete;

  const Resource& resource() const { return resource_; }  // As it is stored.
  Revision revision() const { return revision_; }
  // Namespace and name, `ns/name`, or the name alone; in this order objects are listed.
  const std::string& key() const { return key_; }
  std::string_view ns() const;
  std::string_view name() const;
  const std::string& uid() const { return uid_; }
  const api::Labels& labels() const { return labels_; }
  bool has_owners() const { return has_owners_; }
  // It is marked for deletion.
  bool is_being_deleted() const { return is_being_deleted_; }
  // The value of metadata.name, metadata.namespace or a selectable field; see Strategy. "" if it is unset, or the kind
  // does not have it.
  std::string_view Field(std::string_view path) const;

  // With kind and apiVersion.
  const Bytes& json() const;
  // The size of that text, nearly.
  size_t text_bytes() const { return text_bytes_; }
  // With its envelope.
  Bytes protobuf() const;
  // Cost: that of parsing, unless the version is fresh or somebody holds the tree.
  TreePtr tree() const;
  Json Tree() const { return *tree(); }

  // What it takes in memory, nearly.
  size_t memory_bytes() const;
  // The version is no longer new: other encodings than JSON are dropped, and not kept again.
  void Settle() const;
  // The version is no longer fresh.
  void DropTree() const;

 private:
  StoredObject(const Resource& resource, const Json& object, Revision revision, Bytes json);

  const Resource& resource_;
  Revision revision_;
  std::string key_;
  std::string uid_;
  api::Labels labels_;
  std::string fields_;  // In the order of selectable_fields(), with a null character behind each.
  mutable Bytes json_;  // Null: it was not made yet.
  size_t text_bytes_;
  mutable Bytes protobuf_;
  mutable TreePtr tree_;                    // Null: it is no longer fresh.
  mutable std::weak_ptr<const Json> held_;  // By somebody else, once it is not fresh.
  bool has_owners_;
  bool is_being_deleted_;
  mutable bool is_settled_ = false;
};
using ObjectPtr = std::shared_ptr<const StoredObject>;

// `ns/name`, or the name alone if `ns` is empty.
std::string ObjectKey(std::string_view ns, std::string_view name);

}  // namespace berth::server
