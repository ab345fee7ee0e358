// SPDX-License-Identifier: Apache-2.0
#include "server/store/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "server/store/append_file.h"

namespace berth::server {
namespace {

Result<void> MakeDirectory(const std::string& directory) {
  std::error_code error;
  // True only if it was made now: one that was there keeps its mode.
  if (std::filesystem::create_directories(directory, error)) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  }
  if (error) return FileError(directory, error.value());
  return {};
}

}  // namespace

Result<DirectoryLock> DirectoryLock::Take(const std::string& directory) {
  BERTH_CHECK_OK(MakeDirectory(directory));
  const std::string path = directory + "/lock";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0) return FileError(path, errno);
  DirectoryLock lock(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK) return Fail(Code::kConflict, directory + ": another process is using this directory");
  return FileError(path, errno);
}

DirectoryLock::~DirectoryLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace berth::server
