// SPDX-License-Identifier: Apache-2.0
// Objects of every kind as upstream wrote them, filled at random by tests/oracle/wire: they are canonical already.
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>

#include "server/typed.h"

namespace berth::server {
namespace {

std::string ReadRecording() {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "../../tests/wire/pairs.jsonl.gz";
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char buffer[1 << 16];
  for (int count = 0; (count = gzread(file, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  gzclose(file);
  return text;
}

TEST(Typed, WhatUpstreamWritesIsCanonical) {
  const std::string recording = ReadRecording();
  std::string_view rest = recording;
  size_t checked = 0;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const auto record = api::ParseJson(rest.substr(0, end)).value();
    rest.remove_prefix(end + 1);
    const api::Value json = record.root()["json"];
    const api::wire::Kind* const kind = api::wire::FindKind(json["apiVersion"].text(), json["kind"].text());
    if (kind == nullptr) continue;  // A watch.
    SCOPED_TRACE(record.root()["name"].text());
    const api::wire::Message& message = api::wire::MessageAt(kind->message);
    Json object = Json::FromValue(json);

    EXPECT_TRUE(StrictErrors(json, message).empty());
    ASSERT_TRUE(Canonicalize(object, message));
    EXPECT_EQ(EncodeJson(object, message), json.ToJson());
    ++checked;
  }
  EXPECT_GT(checked, 500u);
}

}  // namespace
}  // namespace berth::server
