// SPDX-License-Identifier: Apache-2.0
// DirectoryLock: one process at a time works in a directory. The lock goes with the process, however it ends.

#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace berth::server {

class DirectoryLock {
 public:
  // Makes the directory if it is absent, readable for its owner only. Fails if another has the lock.
  static Result<DirectoryLock> Take(const std::string& directory);
  DirectoryLock(DirectoryLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace berth::server
