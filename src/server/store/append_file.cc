// SPDX-License-Identifier: Apache-2.0
#include "server/store/append_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "runtime/system_error.h"

namespace berth::server {
namespace {

int SyncData(int fd) { return fdatasync(fd) == 0 ? 0 : errno; }

}  // namespace

std::unexpected<Error> FileError(std::string_view path, int number) {
  return Fail(Code::kUnavailable, fmt::format("{}: {}", path, runtime::SystemError(number)));
}

Result<AppendFile> AppendFile::Create(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0) return FileError(path, errno);
  return AppendFile(fd, path, 0);
}

Result<AppendFile> AppendFile::Open(const std::string& path, size_t size) {
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return FileError(path, errno);
  AppendFile file(fd, path, size);
  if (ftruncate(fd, static_cast<off_t>(size)) != 0) return FileError(path, errno);
  return file;
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      size_(other.size_),
      synced_(other.synced_),
      sync_(std::move(other.sync_)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  Close();
  fd_ = std::exchange(other.fd_, -1);
  path_ = std::move(other.path_);
  size_ = other.size_;
  synced_ = other.synced_;
  sync_ = std::move(other.sync_);
  return *this;
}

AppendFile::~AppendFile() { Close(); }

void AppendFile::Close() {
  if (fd_ < 0) return;
  if (sync_.valid()) sync_.wait();
  close(fd_);
}

Result<void> AppendFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return FileError(path_, errno);
    if (written < 0) continue;
    bytes.remove_prefix(static_cast<size_t>(written));
    size_ += static_cast<size_t>(written);
  }
  return {};
}

Result<void> AppendFile::Sync() {
  BERTH_CHECK_OK(EndSync());
  if (const int error = SyncData(fd_); error != 0) return FileError(path_, error);
  synced_ = size_;
  return {};
}

void AppendFile::BeginSync() {
  if (sync_.valid() || synced_ == size_) return;
  synced_ = size_;
  try {
    sync_ = std::async(std::launch::async, SyncData, fd_);
  } catch (const std::system_error&) {  // No thread is to be had: whoever asks for the result does it.
    sync_ = std::async(std::launch::deferred, SyncData, fd_);
  }
}

bool AppendFile::is_syncing() const {
  return sync_.valid() && sync_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
}

Result<void> AppendFile::EndSync() {
  if (!sync_.valid()) return {};
  if (const int error = sync_.get(); error != 0) return FileError(path_, error);
  return {};
}

Result<void> SyncDirectory(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return FileError(path, errno);
  const int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  if (error != 0) return FileError(path, error);
  return {};
}

}  // namespace berth::server
