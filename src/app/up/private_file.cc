// SPDX-License-Identifier: Apache-2.0
#include "app/up/private_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "client/system_error.h"

namespace berth::up {
namespace {

std::unexpected<Error> FileError(const std::string& path) {
  return Fail(Code::kUnavailable, path + ": " + client::SystemError(errno));
}

}  // namespace

Result<void> WritePrivateFile(const std::string& path, std::string_view text) {
  const std::string draft = path + ".new";
  const int file = open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return FileError(draft);
  const bool is_written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(file) != 0 || !is_written) return FileError(draft);
  if (rename(draft.c_str(), path.c_str()) != 0) return FileError(path);
  return {};
}

}  // namespace berth::up
