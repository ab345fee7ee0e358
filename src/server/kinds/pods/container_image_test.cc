// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/container_image.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::server {
namespace {

TEST(DefaultPullPolicy, IsAlwaysWithoutAVersion) {
  for (const char* image :
       {"nginx", "nginx:latest", "library/nginx", "localhost:5000/a/b", "REG.io/a:latest", "gcr.io/a-b/c__d.e"}) {
    EXPECT_EQ(DefaultPullPolicy(image), "Always") << image;
  }
}

TEST(DefaultPullPolicy, IsIfNotPresentForAVersionOrDigest) {
  const std::string digest = "nginx@sha256:" + std::string(64, 'a');
  for (const std::string& image : {std::string("nginx:1.25"), digest, std::string("host:5000/a:v1")}) {
    EXPECT_EQ(DefaultPullPolicy(image), "IfNotPresent") << image;
  }
}

TEST(DefaultPullPolicy, IsIfNotPresentForWhatIsNoImage) {
  for (const std::string& image :
       {std::string(), std::string("Nginx"), std::string("a b"), std::string("nginx:"), std::string("a//b"),
        std::string("a._b"), std::string("nginx@latest"), std::string(64, 'a'), std::string(300, 'a')}) {
    EXPECT_EQ(DefaultPullPolicy(image), "IfNotPresent") << image;
  }
}

}  // namespace
}  // namespace berth::server
