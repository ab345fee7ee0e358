// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/image.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

TEST(Image, IsNamedByItsLastPart) {
  EXPECT_EQ(ImageName("pause"), "pause");
  EXPECT_EQ(ImageName("registry.k8s.io:443/e2e/pause:3.10"), "pause");
  EXPECT_EQ(ImageName("registry.k8s.io/pause@sha256:00"), "pause");
  EXPECT_EQ(ImageName(""), "");
}

TEST(Image, IsMissingIfItsNameSaysSo) {
  for (const char* missing : {"web:404", "foo:non-existent", "registry.example/a/b:nonexistent", "web:404@sha256:00",
                              "registry.invalid/web", "a.invalid:5000/web:1"}) {
    EXPECT_FALSE(IsPullable(missing)) << missing;
  }
  for (const char* present : {"", "web", "web:1.404", "404", "host:404/web", "x.invalid", "invalid.example/web"}) {
    EXPECT_TRUE(IsPullable(present)) << present;
  }
}

}  // namespace
}  // namespace berth::server
