// SPDX-License-Identifier: Apache-2.0
// Journal: keeps a store in a directory, as a log of its changes.
//
// Changes are collected and written by Flush, which the server calls before it answers: whatever a client was told
// outlives the death of the process. A loss of power takes what was written after the last sync, which Sync begins in
// the background; the server calls it every second. When much of the file is of the past, the objects are written to a
// new one, a piece at a time; if that fails, the old one goes on and it is tried again later. docs/data-directory.md
// has the format and the promises.
//
// Once something could not be written, every Flush fails: the store is ahead of its journal, and the server must end.
//
// Thread: that of the store.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/store/append_file.h"
#include "server/store/directory_lock.h"
#include "server/store/journal_compaction.h"
#include "server/store/journal_restore.h"
#include "server/store/store.h"

namespace berth::server {

class Journal final : public ChangeLog {
 public:
  struct Options {
    // A smaller file is not worth writing anew.
    size_t compact_bytes_min = size_t{64} << 20;
    // Of objects, written in one turn while the file is written anew.
    size_t compact_step_bytes = size_t{1} << 20;
    // How many syncs later it is tried again after it failed.
    size_t compact_retry_syncs = 60;
    // Leaves out what is damaged, instead of failing.
    bool salvages = false;
    // Adds the resources of definitions that were restored to the catalog; see journal_restore.h.
    DefineResources define = {};
    // Told of what does not end the server; once until it has gone.
    std::function<void(std::string)> on_trouble = {};
  };
  // What was found in the directory.
  struct Restored {
    size_t objects = 0;
    size_t bytes = 0;
    size_t cut_bytes = 0;  // Behind the last whole record: the process before died while it wrote.
    // What was damaged and left out; see SalvageFromJournal.
    std::vector<std::string> lost = {};
    std::string damaged_file = {};  // Where the journal stays that had it; empty if it is still in its place.
  };

  // Makes the directory if it is absent, locks it, and takes what it holds into `store`, which from now on has this
  // log. Fails if another process has it, or the journal is damaged or of another version. A journal of which something
  // was lost is written anew, and the damaged one is kept beside it. REQUIRES: nothing was written to the store yet;
  // store and catalog outlive the journal.
  static Result<std::unique_ptr<Journal>> Open(const std::string& directory, const Catalog& catalog, Store& store,
                                               Options options);
  static Result<std::unique_ptr<Journal>> Open(const std::string& directory, const Catalog& catalog, Store& store) {
    return Open(directory, catalog, store, Options());
  }
  // Takes what a directory holds into `store` and changes nothing there. Fails as Open does, and if there is no
  // journal.
  static Result<Restored> Read(const std::string& directory, const Catalog& catalog, Store& store, bool salvages,
                               const DefineResources& define = {});
  // Flushes. What goes wrong now nobody hears: call Close first.
  ~Journal() override;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void Append(const Change& change) override;
  // Writes what was appended. Cost: one write(2), or nothing if there is nothing.
  Result<void> Flush();
  // Begins to bring to the disk what was flushed. Tells too how the last sync ended.
  Result<void> Sync();
  // Flushes, and waits until everything is on the disk.
  Result<void> Close();

  const Restored& restored() const { return restored_; }
  size_t file_bytes() const { return file_.size(); }

 private:
  Journal(std::string directory, const Catalog& catalog, Store& store, DirectoryLock lock, AppendFile file,
          Options options);

  Result<void> TryFlush();
  Result<void> TrySync();
  Result<void> Compact();
  Result<bool> StepCompaction();
  void GiveUpCompaction(const Error& error);
  Result<void> Checked(Result<void> result);

  std::string directory_;
  const Catalog& catalog_;
  Store& store_;
  DirectoryLock lock_;
  AppendFile file_;
  Options options_;
  Restored restored_;

  std::string unwritten_;
  size_t live_bytes_ = 0;  // What the objects that there are take in the file.
  std::optional<JournalCompaction> compaction_;
  size_t syncs_to_wait_ = 0;  // Before a compaction may begin.
  bool is_in_trouble_ = false;
  std::optional<Error> error_;  // The first; nothing is written after it.
};

}  // namespace berth::server
