// SPDX-License-Identifier: Apache-2.0
// StoredObject: one version of an object, as its tree or its JSON text, and
// what lists and watches ask of it.
//
// A version begins as the tree that was written. While it is fresh, controllers
// look at it and the next write follows; most versions are replaced before
// anybody asks for their text, and share nearly all of their trees with the
// next. One that rests becomes its text, which takes less room; its tree is
// then made again when it is asked for, and lives as long as somebody holds it.
//
// The protobuf form is made when it is asked for. It is kept only while the
// version is new, when every watcher is about to ask for it; later it costs
// more memory than it saves time.
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
  // `before`, if given, is another version of it, with which it shares what did
  // not change.
  StoredObject(const Resource& resource, Json object, Revision revision, const StoredObject* before = nullptr);
  // From a text that json() gave. Fails if it is no object of this kind with a name and a resourceVersion.
  static Result<std::shared_ptr<const StoredObject>> FromText(const Resource& resource, std::string json);
  StoredObject(const StoredObject&) = delete;
  StoredObject& operator=(const StoredObject&) = delete;

  const Resource& resource() const { return resource_; }  // As it is stored.
  Revision revision() const { return revision_; }
  // Namespace and name, `ns/name`, or the name alone; in this order objects are listed.
  const std::string& key() const { return identity_->key; }
  std::string_view ns() const;
  std::string_view name() const;
  const std::string& uid() const { return identity_->uid; }
  const api::Labels& labels() const { return identity_->labels; }
  // The list of its owners; null if it has none.
  const Json& owners() const { return identity_->owners; }
  // It is marked for deletion.
  bool is_being_deleted() const { return is_being_deleted_; }
  // The value of metadata.name, metadata.namespace or a selectable field; see Strategy. "" if it is unset, or the kind
  // does not have it.
  std::string_view Field(std::string_view path) const;

  // With kind and apiVersion.
  const Bytes& json() const;
  // The size of that text, nearly.
  size_t text_bytes() const { return size_.bytes; }
  // With its envelope. Custom resources have no such form and stay JSON.
  Bytes protobuf() const;
  // Cost: that of parsing, if the version has become its text and nobody holds
  // the tree.
  TreePtr tree() const;
  Json Tree() const { return *tree(); }

  // What it takes in memory while it is a tree, nearly.
  size_t memory_bytes() const;
  // The version is no longer new: other encodings than JSON are dropped, and not kept again. One that is superseded
  // rests, too.
  void Settle() const;
  // There is a later version, or the object is gone: hardly anybody will ask
  // for the text.
  void Supersede() const { is_superseded_ = true; }
  // The version is no longer fresh, or superseded: it becomes its text, unless it is superseded and nobody asked for
  // that.
  void Rest() const;

 private:
  // What most versions of an object have in common.
  struct Identity {
    std::string key;
    std::string uid;
    Json label_map;  // As in the tree.
    api::Labels labels;
    Json owners;
  };

  StoredObject(const Resource& resource, const Json& object, Revision revision,
               std::shared_ptr<const Identity> identity);
  static std::shared_ptr<const Identity> IdentityOf(const Json& object, const StoredObject* before);

  const Resource& resource_;
  Revision revision_;
  std::shared_ptr<const Identity> identity_;
  std::string fields_;  // In the order of selectable_fields(), with a null character behind each.
  mutable Bytes json_;  // Null: it was not made yet.
  api::TreeSize size_;
  mutable Bytes protobuf_;
  mutable TreePtr tree_;                    // Null: the text is all that there is.
  mutable std::weak_ptr<const Json> held_;  // By somebody else, once it is a text.
  bool is_being_deleted_;
  mutable bool is_settled_ = false;
  mutable bool is_superseded_ = false;
};
using ObjectPtr = std::shared_ptr<const StoredObject>;

// `ns/name`, or the name alone if `ns` is empty.
std::string ObjectKey(std::string_view ns, std::string_view name);

}  // namespace berth::server
