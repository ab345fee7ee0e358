// SPDX-License-Identifier: Apache-2.0
#include "runtime/private_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "runtime/files.h"
#include "runtime/test_files.h"

namespace berth::runtime {
namespace {

int ModeOf(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return static_cast<int>(status.st_mode & 0777);
}

size_t FilesIn(const TestDirectory& directory) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(directory.path()), {}));
}

TEST(PrivateFile, BelongsToItsOwnerWhateverTheUmaskSays) {
  const TestDirectory directory;
  const mode_t umask_before = umask(0);
  const Result<void> written = WritePrivateFile(directory.path() + "/key", "secret");
  umask(umask_before);

  ASSERT_TRUE(written);
  EXPECT_EQ(ModeOf(directory.path() + "/key"), 0600);
  EXPECT_EQ(*ReadFile(directory.path() + "/key"), "secret");
  EXPECT_EQ(FilesIn(directory), 1U) << "no draft is left";
}

TEST(PrivateFile, TakesThePlaceOfAFileThatOthersCanRead) {
  const TestDirectory directory;
  const std::string key = directory.Write("key", "old");
  std::filesystem::permissions(key, std::filesystem::perms::all);
  const std::string linked = directory.Write("elsewhere", "untouched");
  std::filesystem::create_symlink(linked, directory.path() + "/link");

  ASSERT_TRUE(WritePrivateFile(key, "secret"));
  ASSERT_TRUE(WritePrivateFile(directory.path() + "/link", "secret"));

  EXPECT_EQ(ModeOf(key), 0600);
  EXPECT_EQ(*ReadFile(linked), "untouched");
}

TEST(PrivateFile, AFolderThatIsMissingIsAnErrorAndNothingIsLeft) {
  const TestDirectory directory;
  std::filesystem::create_directory(directory.path() + "/key");

  const Result<void> missing = WritePrivateFile(directory.path() + "/no/key", "secret");
  const Result<void> taken = WritePrivateFile(directory.path() + "/key", "secret");

  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "open " + directory.path() + "/no/key: no such file or directory");
  ASSERT_FALSE(taken);
  EXPECT_EQ(FilesIn(directory), 1U);
}

}  // namespace
}  // namespace berth::runtime
