// SPDX-License-Identifier: Apache-2.0
#include "app/up/owned_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "runtime/files.h"
#include "runtime/private_file.h"

namespace berth::up {
namespace {

using testing::HasSubstr;

class OwnedFileTest : public testing::Test {
 protected:
  OwnedFileTest() { std::filesystem::create_directories(folder_); }
  ~OwnedFileTest() override { std::filesystem::remove_all(folder_); }

  void Put(std::string_view text, mode_t mode) const {
    std::ofstream(path_) << text;
    chmod(path_.c_str(), mode);
  }
  mode_t Mode() const {
    struct stat status{};
    return stat(path_.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
  }
  std::string Text() const { return runtime::ReadFile(path_).value_or("none"); }
  size_t FileCount() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  static bool Always(std::string_view) { return true; }

  const std::string folder_ = testing::TempDir() + "/owned_file_" + std::to_string(getpid());
  const std::string path_ = folder_ + "/file";
};

TEST_F(OwnedFileTest, IsForItsOwnerWhateverWasThere) {
  Put("old", 0666);

  ASSERT_TRUE(OwnedFile::Create(path_, "new", Always).has_value());

  EXPECT_EQ(Text(), "new");
  EXPECT_EQ(Mode(), 0600);
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(OwnedFileTest, HasOneOwnerAtATime) {
  std::optional<OwnedFile> first = OwnedFile::Create(path_, "first", Always).value();
  const Result<OwnedFile> second = OwnedFile::Create(path_, "second", Always);

  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Code::kConflict);
  EXPECT_EQ(Text(), "first");

  first.reset();  // As when it was killed.
  OwnedFile third = OwnedFile::Create(path_, "third", Always).value();

  EXPECT_EQ(Text(), "third");
  EXPECT_EQ(Mode(), 0600);
  third.Remove();
  EXPECT_EQ(FileCount(), 0);
}

TEST_F(OwnedFileTest, IsNotRemovedIfItIsAnother) {
  OwnedFile mine = OwnedFile::Create(path_, "mine", Always).value();
  ASSERT_TRUE(runtime::WritePrivateFile(path_, "other").has_value());

  mine.Remove();

  EXPECT_EQ(Text(), "other");
}

TEST_F(OwnedFileTest, ReplacesNothingThatItMustNot) {
  Put("precious", 0644);

  EXPECT_THAT(OwnedFile::Create(path_, "new", [](std::string_view text) { return text != "precious"; }).error().message,
              HasSubstr("was not written by berth up"));
  EXPECT_EQ(Text(), "precious");
  EXPECT_THAT(OwnedFile::Create("/dev/null", "new", Always).error().message, HasSubstr("no regular file"));
  EXPECT_FALSE(OwnedFile::Create(folder_, "new", Always).has_value());
  EXPECT_THAT(OwnedFile::Create(folder_ + "/absent/file", "new", Always).error().message,
              HasSubstr("no such file or directory"));
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(OwnedFileTest, BehindABrokenLinkIsAnError) {
  std::filesystem::create_symlink(folder_ + "/nowhere", path_);

  EXPECT_FALSE(OwnedFile::Create(path_, "new", Always).has_value());
  EXPECT_EQ(FileCount(), 1);
}

}  // namespace
}  // namespace berth::up
