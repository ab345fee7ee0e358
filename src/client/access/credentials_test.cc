// SPDX-License-Identifier: Apache-2.0
#include "client/access/credentials.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "client/request/test_network.h"
#include "runtime/test_files.h"

namespace berth::client {
namespace {

std::string Shown(Credentials& credentials) {
  std::string shown;
  credentials.Get([&](Result<Authorization> authorization) {
    if (!authorization) {
      shown = "error: " + authorization.error().message;
      return;
    }
    for (const net::Header& header : authorization->headers) shown += header.name + ": " + header.value + "\n";
  });
  return shown;
}

uint64_t Version(Credentials& credentials) {
  uint64_t version = 0;
  credentials.Get([&](Result<Authorization> authorization) { version = authorization->version; });
  return version;
}

TEST(Credentials, AreAHeader) {
  EXPECT_EQ(Shown(*NoCredentials()), "");
  EXPECT_EQ(Shown(*BearerToken("abc")), "Authorization: Bearer abc\n");
  EXPECT_EQ(Shown(*BasicAuth("Aladdin", "open sesame")), "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\n");
}

TEST(Credentials, ImpersonateWithEscapedNames) {
  Impersonation as{"jane", "7", {"dev", "ops"}, {{"example.com/scope%", {"a", "b"}}}};
  EXPECT_EQ(Shown(*Impersonating(BearerToken("abc"), as)),
            "Authorization: Bearer abc\nImpersonate-User: jane\nImpersonate-Uid: 7\nImpersonate-Group: dev\n"
            "Impersonate-Group: ops\nImpersonate-Extra-example.com%2Fscope%25: a\n"
            "Impersonate-Extra-example.com%2Fscope%25: b\n");
}

TEST(TokenFile, IsReadAgainAfterFiftySeconds) {
  TestTimers timers;
  runtime::TestDirectory directory;
  std::string path = directory.Write("token", " one\n");
  std::unique_ptr<Credentials> credentials = TokenFile(timers, path);
  EXPECT_EQ(Shown(*credentials), "Authorization: Bearer one\n");

  directory.Write("token", "two");
  timers.Advance(Seconds(49));
  EXPECT_EQ(Shown(*credentials), "Authorization: Bearer one\n");
  timers.Advance(Seconds(1));
  EXPECT_EQ(Shown(*credentials), "Authorization: Bearer two\n");
}

TEST(TokenFile, IsReadAgainAfterARefusal) {
  TestTimers timers;
  runtime::TestDirectory directory;
  std::unique_ptr<Credentials> credentials = TokenFile(timers, directory.Write("token", "one"));
  uint64_t version = Version(*credentials);
  directory.Write("token", "two");

  credentials->OnUnauthorized(version + 1);
  EXPECT_EQ(Shown(*credentials), "Authorization: Bearer one\n");
  credentials->OnUnauthorized(version);
  EXPECT_EQ(Shown(*credentials), "Authorization: Bearer two\n");
}

TEST(TokenFile, KeepsTheLastTokenWhileTheFileIsGone) {
  TestTimers timers;
  runtime::TestDirectory directory;
  std::string path = directory.Write("token", "one");
  std::unique_ptr<Credentials> credentials = TokenFile(timers, path);
  EXPECT_EQ(Shown(*credentials), "Authorization: Bearer one\n");

  std::filesystem::remove(path);
  timers.Advance(Minutes(5));
  EXPECT_EQ(Shown(*credentials), "Authorization: Bearer one\n");
  EXPECT_EQ(Shown(*TokenFile(timers, path, "inline")), "Authorization: Bearer inline\n");
  EXPECT_EQ(Shown(*TokenFile(timers, path)),
            "error: failed to read token file \"" + path + "\": open " + path + ": no such file or directory");
  EXPECT_EQ(Shown(*TokenFile(timers, directory.Write("empty", " \n"))),
            "error: read empty token from file \"" + directory.path() + "/empty\"");
}

}  // namespace
}  // namespace berth::client
