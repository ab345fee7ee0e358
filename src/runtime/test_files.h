// SPDX-License-Identifier: Apache-2.0
// A directory for one test, with its files removed afterwards.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace berth::runtime {

class TestDirectory {
 public:
  TestDirectory() {
    path_ = (std::filesystem::temp_directory_path() / "berth-test-XXXXXX").string();
    BERTH_ASSERT(mkdtemp(path_.data()) != nullptr);
  }
  ~TestDirectory() { std::filesystem::remove_all(path_); }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;

  const std::string& path() const { return path_; }
  // Returns the path of the file.
  std::string Write(const std::string& name, std::string_view text) const {
    std::string file = path_ + "/" + name;
    std::ofstream(file) << text;
    return file;
  }
  std::string WriteProgram(const std::string& name, std::string_view text) const {
    std::string file = Write(name, text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

 private:
  std::string path_;
};

}  // namespace berth::runtime
