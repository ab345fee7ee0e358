// SPDX-License-Identifier: Apache-2.0
// AppendFile: a file that only grows.
//
// What was written outlives the process at once, and a loss of power when it was synced. Syncing takes as long as the
// disk likes, so it can go on in the background.
//
// Thread: one.

#pragma once

#include <future>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::server {

class AppendFile {
 public:
  // A new file, for its owner only; one of this name is emptied.
  static Result<AppendFile> Create(const std::string& path);
  // A file that is there, cut to `size`.
  static Result<AppendFile> Open(const std::string& path, size_t size);
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&& other) noexcept;
  ~AppendFile();

  size_t size() const { return size_; }
  Result<void> Write(std::string_view bytes);
  // Waits until all that was written is on the disk.
  Result<void> Sync();
  // The same in the background. Nothing happens if that is still under way, or there is nothing to do.
  void BeginSync();
  bool is_syncing() const;
  // Waits for that, and tells how it ended.
  Result<void> EndSync();

 private:
  AppendFile(int fd, std::string path, size_t size) : fd_(fd), path_(std::move(path)), size_(size) {}
  void Close();

  int fd_;  // -1: moved away.
  std::string path_;
  size_t size_;
  size_t synced_ = 0;
  std::future<int> sync_;  // Of an error number.
};

// Makes the names in a directory outlive a loss of power.
Result<void> SyncDirectory(const std::string& path);

// `path: no space left on device`.
std::unexpected<Error> FileError(std::string_view path, int number);

}  // namespace berth::server
