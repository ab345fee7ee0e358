// SPDX-License-Identifier: Apache-2.0
#include "app/up/owned_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "runtime/files.h"
#include "runtime/private_file.h"
#include "runtime/system_error.h"

namespace berth::up {
namespace {

constexpr int kTriesMax = 10;  // While others replace the file too.

std::unexpected<Error> FileError(const std::string& path) {
  return Fail(Code::kUnavailable, path + ": " + runtime::SystemError(errno));
}

// A file beside `path` that goes again unless it was put in its place.
class Draft {
 public:
  static Result<Draft> Write(const std::string& path, std::string_view text) {
    std::string name = fmt::format("{}.{}", path, getpid());
    BERTH_CHECK_OK(runtime::WritePrivateFile(name, text));
    const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return FileError(name);
    return Draft(std::move(name), fd);
  }
  Draft(Draft&& other) noexcept : name_(std::exchange(other.name_, {})), fd_(std::exchange(other.fd_, -1)) {}
  Draft& operator=(Draft&&) = delete;
  ~Draft() {
    if (!name_.empty()) unlink(name_.c_str());
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }
  int TakeDescriptor() { return std::exchange(fd_, -1); }

  Result<void> Replace(const std::string& path) {
    if (rename(name_.c_str(), path.c_str()) != 0) return FileError(path);
    name_.clear();
    return {};
  }
  // False if something is there.
  Result<bool> PutWhereNothingIs(const std::string& path) {
    if (link(name_.c_str(), path.c_str()) == 0) return true;
    if (errno == EEXIST) return false;
    // Not every file system has links.
    BERTH_CHECK_OK(Replace(path));
    return true;
  }

 private:
  Draft(std::string name, int fd) : name_(std::move(name)), fd_(fd) {}

  std::string name_;
  int fd_;
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool IsAt(int fd, const std::string& path) {
  struct stat mine{};
  struct stat there{};
  return fstat(fd, &mine) == 0 && stat(path.c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

// Puts the draft in the place of what is there. False if that was exchanged meanwhile.
Result<bool> TakePlace(Draft& draft, const std::string& path,
                       const std::function<bool(std::string_view text)>& may_replace) {
  const Descriptor there(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (there.get() < 0) {
    if (errno != ENOENT) return FileError(path);
    return draft.PutWhereNothingIs(path);
  }
  struct stat status{};
  if (fstat(there.get(), &status) != 0) return FileError(path);
  if (!S_ISREG(status.st_mode)) return Invalid(path + ": is no regular file");
  if (flock(there.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Fail(Code::kConflict, path + ": is that of another berth up that is running");
  }
  if (!IsAt(there.get(), path)) return false;
  const std::string text = BERTH_TRY(runtime::ReadFile(path));
  if (!may_replace(text)) return Fail(Code::kConflict, path + ": is there and was not written by berth up");
  BERTH_CHECK_OK(draft.Replace(path));
  return true;
}

}  // namespace

Result<OwnedFile> OwnedFile::Create(const std::string& path, std::string_view text,
                                    const std::function<bool(std::string_view text)>& may_replace) {
  Draft draft = BERTH_TRY(Draft::Write(path, text));
  flock(draft.fd(), LOCK_EX | LOCK_NB);  // Nobody else knows it yet.
  for (int tries = 0; tries < kTriesMax; ++tries) {
    if (BERTH_TRY(TakePlace(draft, path, may_replace))) return OwnedFile(path, draft.TakeDescriptor());
  }
  return Fail(Code::kUnavailable, path + ": cannot be replaced");
}

OwnedFile::~OwnedFile() {
  if (fd_ >= 0) close(fd_);
}

void OwnedFile::Remove() {
  if (fd_ >= 0 && IsAt(fd_, path_)) unlink(path_.c_str());
}

}  // namespace berth::up
