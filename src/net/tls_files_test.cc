// SPDX-License-Identifier: Apache-2.0
#include "net/tls_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "net/self_signed.h"
#include "net/test_loopback.h"

namespace berth::net {
namespace {

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

TEST(TlsFiles, ARunningServerTakesNewCertificatesAndKeepsGoodOnes) {
  Loopback world;
  const auto directory = std::filesystem::temp_directory_path() / ("berth-tls-files-" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  const std::string certificate = directory / "tls.crt";
  const std::string key = directory / "tls.key";
  const auto first = *MakeSelfSigned("first", {}, world.loop.Now());
  const auto second = *MakeSelfSigned("second", {}, world.loop.Now());
  WriteFile(certificate, first.certificate_pem);
  WriteFile(key, first.key_pem);
  TlsFiles files(world.loop, {certificate, key, ""}, {}, Milliseconds(5));
  HttpServerOptions options;
  options.tls = *files.Load();
  FunctionHandler handler([](ServerRequest, Responder responder) { responder.Send(200, {}, "ok"); });
  const auto server = world.Serve(handler, options);
  int changes = 0;
  int errors = 0;
  files.Watch(
      [&](const TlsServerOptions& tls) {
        auto used = server->SetTls(tls);
        changes += used ? 1 : 0;
        return used;
      },
      [&](const Error&) { ++errors; });

  WriteFile(certificate, second.certificate_pem);
  ASSERT_TRUE(world.RunUntil([&] { return errors > 0; }));
  EXPECT_EQ(changes, 0);
  WriteFile(key, second.key_pem);
  ASSERT_TRUE(world.RunUntil([&] { return changes == 1; }));
  HttpClientOptions client_options;
  client_options.endpoint.scheme = "https";
  client_options.tls.ca_pem = second.certificate_pem;

  EXPECT_TRUE(world.Get(*world.Client(*server, client_options), "/"));
  EXPECT_FALSE(TlsFiles(world.loop, {"/nowhere/tls.crt", key, ""}, {}).Load());
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace berth::net
