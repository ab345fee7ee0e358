// SPDX-License-Identifier: Apache-2.0
#include "runtime/private_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "runtime/system_error.h"

namespace berth::runtime {
namespace {

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Result<void> WritePrivateFile(const std::string& path, std::string_view text) {
  const auto fail = [&] { return Fail(Code::kUnavailable, fmt::format("open {}: {}", path, SystemError(errno))); };
  // Made new under a name that nobody has, so neither an older file's mode nor a link counts.
  std::string draft = path + ".XXXXXX";
  const int file = mkostemp(draft.data(), O_CLOEXEC);
  if (file < 0) return fail();
  const bool is_written = WriteAll(file, text);
  Result<void> result;
  if (!is_written) result = fail();
  if (close(file) != 0 && result) result = fail();
  if (result && rename(draft.c_str(), path.c_str()) != 0) result = fail();
  if (!result) unlink(draft.c_str());
  return result;
}

}  // namespace berth::runtime
