// SPDX-License-Identifier: Apache-2.0
#include "server/store/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "server/store/journal_format.h"
#include "server/store/journal_restore.h"

namespace berth::server {
namespace {

// The bytes of a file, for as long as this lives.
class MappedFile {
 public:
  static Result<MappedFile> Open(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return FileError(path, errno);
    MappedFile file;
    struct stat status{};
    const bool is_mapped = fstat(fd, &status) == 0 && file.Map(fd, static_cast<size_t>(status.st_size));
    const int error = errno;
    close(fd);
    if (!is_mapped) return FileError(path, error);
    return file;
  }
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile() {
    if (data_ != nullptr) munmap(data_, size_);
  }

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  MappedFile() = default;
  bool Map(int fd, size_t size) {
    if (size == 0) return true;  // Which cannot be mapped.
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return false;
    data_ = data;
    size_ = size;
    return true;
  }

  void* data_ = nullptr;
  size_t size_ = 0;
};

Result<Journal::Restored> Restore(const std::string& path, const Catalog& catalog, Store& store) {
  const MappedFile file = BERTH_TRY(MappedFile::Open(path));
  const Result<size_t> end = RestoreFromJournal(file.bytes(), catalog, store);
  if (!end) return Fail(end.error().code, fmt::format("{}: {}", path, end.error().message));
  return Journal::Restored{.objects = store.total_count(), .bytes = *end, .cut_bytes = file.bytes().size() - *end};
}

size_t LiveBytes(const Catalog& catalog, const Store& store) {
  size_t bytes = 0;
  for (const auto& resource : catalog.all()) {
    if (resource->stored != resource.get()) continue;
    for (const auto& [key, object] : store.All(*resource)) bytes += PutSize(*object);
  }
  return bytes;
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::Open(const std::string& directory, const Catalog& catalog, Store& store,
                                               Options options) {
  DirectoryLock lock = BERTH_TRY(DirectoryLock::Take(directory));
  RemoveUnfinishedJournal(directory);
  const std::string path = JournalPath(directory);
  Restored restored;
  if (access(path.c_str(), F_OK) == 0) restored = BERTH_TRY(Restore(path, catalog, store));
  AppendFile file = BERTH_TRY(restored.bytes == 0 ? NewJournal(directory) : AppendFile::Open(path, restored.bytes));
  std::unique_ptr<Journal> journal(new Journal(directory, catalog, store, std::move(lock), std::move(file), options));
  journal->restored_ = restored;
  return journal;
}

Journal::Journal(std::string directory, const Catalog& catalog, Store& store, DirectoryLock lock, AppendFile file,
                 Options options)
    : directory_(std::move(directory)),
      catalog_(catalog),
      store_(store),
      lock_(std::move(lock)),
      file_(std::move(file)),
      options_(options),
      live_bytes_(LiveBytes(catalog, store)) {
  store_.SetLog(this);
}

Journal::~Journal() {
  (void)Flush();
  store_.SetLog(nullptr);
}

void Journal::Append(const Change& change) {
  const bool is_removal = change.type == Change::Type::kDeleted;
  AppendRecord(unwritten_, is_removal ? JournalRecord::Type::kRemove : JournalRecord::Type::kPut, *change.object);
  if (!is_removal) live_bytes_ += PutSize(*change.object);
  if (change.before) live_bytes_ -= PutSize(*change.before);
}

Result<void> Journal::Checked(Result<void> result) {
  if (!result) error_ = result.error();
  return result;
}

Result<void> Journal::Flush() {
  if (error_) return std::unexpected(*error_);
  if (unwritten_.empty()) return {};
  return Checked(TryFlush());
}

Result<void> Journal::Sync() {
  if (error_) return std::unexpected(*error_);
  return Checked(TrySync());
}

Result<void> Journal::Close() {
  BERTH_CHECK_OK(Flush());
  return Checked(file_.Sync());
}

Result<void> Journal::TryFlush() {
  BERTH_CHECK_OK(file_.Write(unwritten_));
  if (compaction_) BERTH_CHECK_OK(compaction_->Write(unwritten_));
  unwritten_.clear();
  return Compact();
}

Result<void> Journal::TrySync() {
  if (!file_.is_syncing()) {
    BERTH_CHECK_OK(file_.EndSync());
    file_.BeginSync();
  }
  return Compact();
}

// Begins when less than half of the file is of use, and goes on a step at a time.
Result<void> Journal::Compact() {
  if (!compaction_) {
    if (file_.size() < options_.compact_bytes_min || file_.size() < 2 * live_bytes_) return {};
    compaction_ = BERTH_TRY(JournalCompaction::Begin(directory_, catalog_, store_));
  }
  if (!BERTH_TRY(compaction_->Step(options_.compact_step_bytes))) return {};
  file_ = BERTH_TRY(compaction_->Finish());
  compaction_.reset();
  return {};
}

}  // namespace berth::server
