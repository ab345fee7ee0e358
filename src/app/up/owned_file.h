// SPDX-License-Identifier: Apache-2.0
// OwnedFile: a private file that belongs to this process for as long as it runs.
//
// Another process cannot take its place meanwhile; when this one has ended, in whatever way, it can.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace berth::up {

class OwnedFile {
 public:
  // Fails with kConflict if a process that runs owns the file there, or `may_replace` says no to its text.
  static Result<OwnedFile> Create(const std::string& path, std::string_view text,
                                  const std::function<bool(std::string_view text)>& may_replace);
  OwnedFile(OwnedFile&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
  OwnedFile& operator=(OwnedFile&&) = delete;
  // Leaves the file where it is.
  ~OwnedFile();

  // Unless another one is there by now.
  void Remove();

 private:
  OwnedFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_;  // Holds the lock that says who owns it.
};

}  // namespace berth::up
