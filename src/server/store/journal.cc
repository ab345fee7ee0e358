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

Result<Journal::Restored> Restore(const std::string& path, const Catalog& catalog, Store& store, bool salvages,
                                  const DefineResources& define = {}) {
  const MappedFile file = BERTH_TRY(MappedFile::Open(path));
  Journal::Restored restored;
  const Result<size_t> end = salvages ? SalvageFromJournal(file.bytes(), catalog, store, restored.lost, define)
                                      : RestoreFromJournal(file.bytes(), catalog, store, define);
  if (!end) {
    const bool is_damage = end.error().message.starts_with("offset ");
    return Fail(end.error().code, fmt::format("{}: {}{}", path, end.error().message,
                                              is_damage ? "; --salvage goes on without what is damaged" : ""));
  }
  restored.objects = store.total_count();
  restored.bytes = *end;
  restored.cut_bytes = file.bytes().size() - *end;
  return restored;
}

// A name beside the journal that nothing has yet.
std::string FreeName(const std::string& path) {
  std::string name = path + ".damaged";
  for (int i = 2; access(name.c_str(), F_OK) == 0; ++i) name = fmt::format("{}.damaged-{}", path, i);
  return name;
}

// Writes the journal anew, of what is in the store. The old one gets another name, which is returned.
Result<std::string> ReplaceDamaged(const std::string& directory, const Catalog& catalog, const Store& store) {
  JournalCompaction compaction = BERTH_TRY(JournalCompaction::Begin(directory, catalog, store));
  while (!BERTH_TRY(compaction.Step(size_t{1} << 20))) {
  }
  const std::string path = JournalPath(directory);
  std::string name = FreeName(path);
  if (link(path.c_str(), name.c_str()) != 0) return FileError(name, errno);
  BERTH_CHECK_OK(compaction.Finish());
  BERTH_CHECK_OK(SyncDirectory(directory));
  return name;
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
  if (access(path.c_str(), F_OK) == 0)
    restored = BERTH_TRY(Restore(path, catalog, store, options.salvages, options.define));
  if (!restored.lost.empty()) {
    restored.damaged_file = BERTH_TRY(ReplaceDamaged(directory, catalog, store));
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return FileError(path, errno);
    restored.bytes = static_cast<size_t>(status.st_size);
  }
  AppendFile file = BERTH_TRY(restored.bytes == 0 ? NewJournal(directory) : AppendFile::Open(path, restored.bytes));
  std::unique_ptr<Journal> journal(
      new Journal(directory, catalog, store, std::move(lock), std::move(file), std::move(options)));
  journal->restored_ = std::move(restored);
  return journal;
}

Result<Journal::Restored> Journal::Read(const std::string& directory, const Catalog& catalog, Store& store,
                                        bool salvages, const DefineResources& define) {
  const std::string path = JournalPath(directory);
  if (access(path.c_str(), F_OK) != 0) return FileError(path, errno);
  const DirectoryLock lock = BERTH_TRY(DirectoryLock::Take(directory));
  return Restore(path, catalog, store, salvages, define);
}

Journal::Journal(std::string directory, const Catalog& catalog, Store& store, DirectoryLock lock, AppendFile file,
                 Options options)
    : directory_(std::move(directory)),
      catalog_(catalog),
      store_(store),
      lock_(std::move(lock)),
      file_(std::move(file)),
      options_(std::move(options)),
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
  if (compaction_) {
    if (const Result<void> copied = compaction_->Write(unwritten_); !copied) GiveUpCompaction(copied.error());
  }
  unwritten_.clear();
  return Compact();
}

Result<void> Journal::TrySync() {
  if (!file_.is_syncing()) {
    BERTH_CHECK_OK(file_.EndSync());
    file_.BeginSync();
  }
  if (syncs_to_wait_ > 0) --syncs_to_wait_;
  return Compact();
}

// Begins when less than half of the file is of use, and goes on a step at a time. What goes wrong until the new file
// has taken the place of the old one concerns the new one alone.
Result<void> Journal::Compact() {
  const bool is_due = file_.size() >= options_.compact_bytes_min && file_.size() >= 2 * live_bytes_;
  if (!compaction_ && (!is_due || syncs_to_wait_ > 0)) return {};
  const Result<bool> is_done = StepCompaction();
  if (!is_done) GiveUpCompaction(is_done.error());
  if (!is_done || !*is_done) return {};
  is_in_trouble_ = false;
  return SyncDirectory(directory_);
}

Result<bool> Journal::StepCompaction() {
  if (!compaction_) compaction_ = BERTH_TRY(JournalCompaction::Begin(directory_, catalog_, store_));
  if (!BERTH_TRY(compaction_->Step(options_.compact_step_bytes))) return false;
  file_ = BERTH_TRY(compaction_->Finish());
  compaction_.reset();
  return true;
}

void Journal::GiveUpCompaction(const Error& error) {
  compaction_.reset();
  RemoveUnfinishedJournal(directory_);
  syncs_to_wait_ = options_.compact_retry_syncs;
  if (std::exchange(is_in_trouble_, true) || !options_.on_trouble) return;
  options_.on_trouble(fmt::format(
      "the journal could not be written anew and goes on growing; that is tried again later: {}", error.message));
}

}  // namespace berth::server
