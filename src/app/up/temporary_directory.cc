// SPDX-License-Identifier: Apache-2.0
#include "app/up/temporary_directory.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "runtime/system_error.h"

namespace berth::up {

Result<TemporaryDirectory> TemporaryDirectory::Create(std::string_view name) {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) return Fail(Code::kUnavailable, "TMPDIR: " + error.message());
  std::string path = fmt::format("{}/{}-XXXXXX", parent.string(), name);
  if (mkdtemp(path.data()) == nullptr) return Fail(Code::kUnavailable, path + ": " + runtime::SystemError(errno));
  return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace berth::up
