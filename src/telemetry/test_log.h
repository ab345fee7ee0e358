// SPDX-License-Identifier: Apache-2.0
// CapturedLog: what is logged while a test runs.

#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "telemetry/log.h"

namespace berth::telemetry {

// The log goes to a pipe while one of these lives.
class CapturedLog {
 public:
  explicit CapturedLog(LogOptions options = {}) {
    EXPECT_EQ(::pipe2(ends_, O_NONBLOCK), 0);
    options.error_fd = ends_[1];
    EXPECT_TRUE(ConfigureLog(options));
  }
  ~CapturedLog() {
    EXPECT_TRUE(ConfigureLog({}));
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  std::string Read() {
    std::string text(1 << 16, '\0');
    const ssize_t size = ::read(ends_[0], text.data(), text.size());
    text.resize(size < 0 ? 0 : static_cast<size_t>(size));
    return text;
  }

 private:
  int ends_[2] = {};
};

}  // namespace berth::telemetry
