// SPDX-License-Identifier: Apache-2.0
#include "app/up/files.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace berth::up {
namespace {

std::unexpected<Error> FileError(const std::string& path) {
  return Fail(Code::kUnavailable, path + ": " + std::strerror(errno));
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return FileError(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return FileError(path);
  return text;
}

Result<void> WritePrivateFile(const std::string& path, std::string_view text) {
  const std::string draft = path + ".new";
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return FileError(draft);
  const bool is_written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(file) != 0 || !is_written) return FileError(draft);
  if (rename(draft.c_str(), path.c_str()) != 0) return FileError(path);
  return {};
}

uint64_t RandomNumber() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();
  return number;
}

}  // namespace berth::up
