// SPDX-License-Identifier: Apache-2.0
// The format of a journal: a header, and records one behind the other; docs/data-directory.md gives it byte by byte.
//
// A journal may end anywhere, as its writer may die at any time: what stands behind the last whole record is left out.
// Damage in front of that is an error, and skipped only by who says so.
//
// Thread: any one.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/store/stored_object.h"

namespace berth::server {

struct JournalRecord {
  enum class Type : uint8_t {
    kPut = 1,     // An object was created or replaced.
    kRemove = 2,  // An object was removed.
    kReached = 3  // The revision was given; what else it was, other records tell.
  };

  Type type{};
  Revision revision = 0;
  std::string_view resource;  // As Resource::Qualified() writes it; empty for kReached.
  std::string_view key;       // Of the object; empty for kReached.
  std::string_view text;      // Of kPut the object as JSON; empty for others.
};

// What a journal begins with.
std::string_view JournalHeader();

void AppendRecord(std::string& out, const JournalRecord& record);
// The object as it is; of a removal, its last state.
void AppendRecord(std::string& out, JournalRecord::Type type, const StoredObject& object);
// How many bytes the object takes.
size_t PutSize(const StoredObject& object);

// `write of pods "default/web" at revision 12`.
std::string Describe(const JournalRecord& record);

class JournalReader {
 public:
  // A part that cannot be read.
  struct Gap {
    size_t offset = 0;
    size_t size = 0;
    std::optional<JournalRecord> record;  // If one is damaged that still says what it is; that may be damaged as well.
  };

  // `bytes` must outlive the reader and its records. Fails if they are no journal, or one of another version; too short
  // a header is read as an empty journal.
  static Result<JournalReader> Open(std::string_view bytes);

  // The same, and takes a damaged header for a right one if a whole record follows.
  static Result<JournalReader> OpenDamaged(std::string_view bytes);

  // The next record, or nothing at the end. Fails with `offset N: reason` where the journal is damaged, and so does
  // every call after that until the damage is skipped.
  Result<std::optional<JournalRecord>> Next();
  // Goes on behind the damage, with the next whole record or at the end. REQUIRES: Next failed.
  Gap Skip();

  // The end of the last whole record, or of the header, or of what was skipped; 0 if not even the header is whole.
  size_t offset() const { return offset_; }

 private:
  explicit JournalReader(std::string_view bytes, size_t offset) : bytes_(bytes), offset_(offset) {}
  bool HasHeadAt(size_t offset) const;
  bool HasRecordAt(size_t offset) const;
  bool IsZeroFrom(size_t offset) const;
  std::unexpected<Error> Damage(std::string_view what) const;

  std::string_view bytes_;
  size_t offset_;
};

}  // namespace berth::server
