// SPDX-License-Identifier: Apache-2.0
// JournalCompaction: writes the objects of a store to a new file, which then takes the place of the journal.
//
// That happens a piece at a time, between the writes of others. Changes are written to the new file as well as to the
// old one while it lasts, and of several records of an object the last counts; so it does not matter whether an object
// is copied before or after it changes. Until the end the old file is the journal, whatever happens.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "server/store/append_file.h"
#include "server/store/store.h"

namespace berth::server {

class JournalCompaction {
 public:
  static Result<JournalCompaction> Begin(const std::string& directory, const Catalog& catalog, const Store& store);

  // Records of changes that were made since.
  Result<void> Write(std::string_view records) { return file_.Write(records); }
  // Copies objects of about so many bytes, then waits for the disk. True: the new file is ready.
  Result<bool> Step(size_t bytes);
  // Puts the new file in the place of the old one and returns it; if that fails, the old one is still the journal. The
  // directory is to be synced then. REQUIRES: Step said so.
  Result<AppendFile> Finish();

 private:
  JournalCompaction(std::string directory, const Catalog& catalog, const Store& store, AppendFile file)
      : directory_(std::move(directory)), catalog_(&catalog), store_(&store), file_(std::move(file)) {}
  std::string NextRecords(size_t bytes);

  std::string directory_;
  const Catalog* catalog_;
  const Store* store_;
  AppendFile file_;
  size_t resource_ = 0;  // The one in the catalog that is copied now,
  std::string key_;      // and the first of its objects that is not copied yet, or comes where that would be.
  bool is_copied_ = false;
};

// The journal in a directory.
std::string JournalPath(const std::string& directory);
// What a process left that ended in the middle of a compaction.
void RemoveUnfinishedJournal(const std::string& directory);
// Makes an empty journal there.
Result<AppendFile> NewJournal(const std::string& directory);

}  // namespace berth::server
