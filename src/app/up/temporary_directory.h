// SPDX-License-Identifier: Apache-2.0
// TemporaryDirectory: a directory of this process alone, which nobody else can look into. It goes with the object, and
// all that is in it.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace berth::up {

class TemporaryDirectory {
 public:
  // `NAME-` and some letters, where TMPDIR says, else in /tmp.
  static Result<TemporaryDirectory> Create(std::string_view name);
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace berth::up
