// SPDX-License-Identifier: Apache-2.0
// Change: one write, as watchers are told of it.
//
// A frame is encoded once for all watchers. Frames are kept while the change is new; a watcher that comes back later
// has them made again.
//
// Thread: one.

#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "server/store/stored_object.h"
#include "server/store/watch_frame.h"

namespace berth::server {

struct Change {
 public:
  enum class Type : uint8_t { kAdded, kModified, kDeleted };

  Change(Type type, ObjectPtr object, ObjectPtr before);

  const Type type;
  const Revision revision;
  const ObjectPtr object;  // Of kDeleted the last state, in the revision of the deletion.
  const ObjectPtr before;  // Null: it was created.

  // The frame that tells this to all who saw the object before and see it still.
  Bytes Frame(Encoding encoding) const { return Frame(encoding, type); }
  // A watcher that sees only some objects is told as kAdded of one that came into its sight, and as kDeleted of one
  // that went out of it. REQUIRES: `as` is `type`, or that is kModified.
  Bytes Frame(Encoding encoding, Type as) const;
  // The object in this frame: `object`, or for what went out of sight `before` in the revision of the change.
  ObjectPtr Shown(Type as) const;

  // What it keeps in memory that would be gone without it, nearly.
  size_t memory_bytes() const;
  // The change is no longer new: frames are dropped, and not kept again.
  void Settle() const;

 private:
  struct Frames {
    std::array<std::array<Bytes, 3>, 2> frames;  // By encoding and type.
    ObjectPtr out_of_sight;
  };

  mutable std::unique_ptr<Frames> frames_;  // Null: none was asked for yet, or it is settled.
  mutable bool is_new_ = true;
};
using ChangePtr = std::shared_ptr<const Change>;

// As in frames, such as ADDED.
std::string_view ToString(Change::Type type);

}  // namespace berth::server
