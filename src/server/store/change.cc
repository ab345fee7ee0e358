// SPDX-License-Identifier: Apache-2.0
#include "server/store/change.h"

#include <fmt/format.h>

#include <utility>

#include "base/assert.h"

namespace berth::server {

std::string_view ToString(Change::Type type) {
  switch (type) {
    case Change::Type::kAdded: return "ADDED";
    case Change::Type::kModified: return "MODIFIED";
    case Change::Type::kDeleted: return "DELETED";
  }
  return {};
}

Change::Change(Type type_, ObjectPtr object_, ObjectPtr before_)
    : type(type_), revision(object_->revision()), object(std::move(object_)), before(std::move(before_)) {}

Bytes Change::Frame(Encoding encoding, Type as) const {
  const auto make = [&] {
    return std::make_shared<const std::string>(WatchFrame(encoding, ToString(as), *Encoded(*Shown(as), encoding)));
  };
  if (!is_new_) return make();
  if (!frames_) frames_ = std::make_unique<Frames>();
  Bytes& frame = frames_->frames[static_cast<size_t>(encoding)][static_cast<size_t>(as)];
  if (!frame) frame = make();
  return frame;
}

ObjectPtr Change::Shown(Type as) const {
  if (as != Type::kDeleted || type == Type::kDeleted) return object;
  BERTH_ASSERT(before);
  if (frames_ && frames_->out_of_sight) return frames_->out_of_sight;
  Json tree = before->Tree();
  tree.Make({"metadata", "resourceVersion"}) = Json::String(fmt::to_string(revision));
  ObjectPtr shown = std::make_shared<const StoredObject>(before->resource(), std::move(tree), revision);
  if (!is_new_) return shown;
  if (!frames_) frames_ = std::make_unique<Frames>();
  frames_->out_of_sight = shown;
  return shown;
}

size_t Change::memory_bytes() const {
  constexpr size_t kPlaces = 128;  // Its own block and the pointers to it.
  return kPlaces + sizeof(*this) + (before ? before->memory_bytes() : 0) +
         (type == Type::kDeleted ? object->memory_bytes() : 0);
}

void Change::Settle() const {
  frames_ = nullptr;
  is_new_ = false;
  object->Settle();
}

}  // namespace berth::server
