// SPDX-License-Identifier: Apache-2.0
#include "server/store/journal_compaction.h"

#include <cerrno>
#include <cstdio>
#include <utility>

#include "server/store/journal_format.h"

namespace berth::server {
namespace {

std::string NewPath(const std::string& directory) { return directory + "/journal.new"; }

// From now on the new file is the journal, but for a loss of power before the directory is synced.
Result<void> Publish(const std::string& directory) {
  const std::string path = JournalPath(directory);
  if (std::rename(NewPath(directory).c_str(), path.c_str()) != 0) return FileError(path, errno);
  return {};
}

}  // namespace

std::string JournalPath(const std::string& directory) { return directory + "/journal"; }

void RemoveUnfinishedJournal(const std::string& directory) { (void)std::remove(NewPath(directory).c_str()); }

Result<AppendFile> NewJournal(const std::string& directory) {
  AppendFile file = BERTH_TRY(AppendFile::Create(NewPath(directory)));
  BERTH_CHECK_OK(file.Write(JournalHeader()));
  BERTH_CHECK_OK(file.Sync());
  BERTH_CHECK_OK(Publish(directory));
  BERTH_CHECK_OK(SyncDirectory(directory));
  return file;
}

Result<JournalCompaction> JournalCompaction::Begin(const std::string& directory, const Catalog& catalog,
                                                   const Store& store) {
  AppendFile file = BERTH_TRY(AppendFile::Create(NewPath(directory)));
  std::string bytes(JournalHeader());
  if (store.revision() > 0) {
    // The last one may have been a removal, of which nothing else remains.
    AppendRecord(bytes, JournalRecord{.type = JournalRecord::Type::kReached,
                                      .revision = store.revision(),
                                      .resource = {},
                                      .key = {},
                                      .text = {}});
  }
  BERTH_CHECK_OK(file.Write(bytes));
  return JournalCompaction(directory, catalog, store, std::move(file));
}

std::string JournalCompaction::NextRecords(size_t bytes) {
  std::string records;
  for (; resource_ < catalog_->all().size(); ++resource_, key_.clear()) {
    const Resource& resource = *catalog_->all()[resource_];
    if (resource.stored != &resource) continue;
    const Store::Objects& objects = store_->All(resource);
    for (auto at = objects.lower_bound(key_); at != objects.end(); ++at) {
      if (records.size() >= bytes) {
        key_ = at->first;
        return records;
      }
      AppendRecord(records, JournalRecord::Type::kPut, *at->second);
    }
  }
  is_copied_ = true;
  return records;
}

Result<bool> JournalCompaction::Step(size_t bytes) {
  if (is_copied_) return !file_.is_syncing();
  BERTH_CHECK_OK(file_.Write(NextRecords(bytes)));
  if (is_copied_) file_.BeginSync();
  return false;
}

Result<AppendFile> JournalCompaction::Finish() {
  BERTH_CHECK_OK(file_.Sync());  // What came since the last sync began, which is little.
  BERTH_CHECK_OK(Publish(directory_));
  return std::move(file_);
}

}  // namespace berth::server
