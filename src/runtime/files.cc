// SPDX-License-Identifier: Apache-2.0
#include "runtime/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "runtime/system_error.h"

namespace berth::runtime {

Result<std::string> ReadFile(const std::string& path, size_t size_max) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Fail(Code::kNotFound, fmt::format("open {}: {}", path, SystemError(errno)));
  std::string text;
  std::array<char, 8192> piece;
  ssize_t size = 0;
  while ((size = read(fd, piece.data(), piece.size())) > 0 && text.size() <= size_max) {
    text.append(piece.data(), static_cast<size_t>(size));
  }
  int error = errno;
  close(fd);
  if (size < 0) return Invalid(fmt::format("read {}: {}", path, SystemError(error)));
  if (text.size() > size_max) return Fail(Code::kLimit, fmt::format("read {}: file too large", path));
  return text;
}

}  // namespace berth::runtime
