// SPDX-License-Identifier: Apache-2.0
#include "api/document/yaml_writer.h"

#include <gtest/gtest.h>

#include "api/document/json_writer.h"

namespace berth::api {
namespace {

TEST(ToYaml, IsLaidOutLikeKubectl) {
  const auto document = ParseJson(
      R"({"kind":"Pod","spec":{"containers":[{"name":"a","args":["--v=2","-x"],"env":[]},{"name":"b"}],"m":[[1,2],[3]]},)"
      R"("script":"line 1\n  line 2\n","status":{},"none":null,"port":"80","on":true,)"
      R"("time":"2026-01-01T00:00:00Z","version":"2026-01-beta"})");
  ASSERT_TRUE(document);

  EXPECT_EQ(ToYaml(document->root()), R"(kind: Pod
spec:
  containers:
  - name: a
    args:
    - --v=2
    - -x
    env: []
  - name: b
  m:
  - - 1
    - 2
  - - 3
script: |
  line 1
    line 2
status: {}
none: null
port: "80"
"on": true
time: "2026-01-01T00:00:00Z"
version: 2026-01-beta
)");
}

TEST(ToYaml, SortsNamesAsUpstreamDoes) {
  const auto document = ParseJson(R"({"b":1,"a10":2,"a9":3,"A":4,".":5,"kind":6,"apiVersion":7,"a-b":8,"a":9})");
  ASSERT_TRUE(document);

  EXPECT_EQ(ToYaml(document->root(), YamlOrder::kSorted),
            ".: 5\nA: 4\na: 9\na-b: 8\na9: 3\na10: 2\napiVersion: 7\nb: 1\nkind: 6\n");
}

TEST(ToYaml, LongTextIsFolded) {
  const std::string words = "0/5 nodes are available: 3 node(s) had untolerated taints, 2 node(s) did not match";
  const auto document = ParseJson("{\"message\":\"" + words + "\"}");
  ASSERT_TRUE(document);

  EXPECT_EQ(ToYaml(document->root()),
            "message: '0/5 nodes are available: 3 node(s) had untolerated taints, 2 node(s) did\n  not match'\n");
}

TEST(ToYaml, StringsReadBackAsWritten) {
  const std::string_view cases[] = {
      "",
      " ",
      "a ",
      " a",
      "a: b",
      "a:",
      "a #b",
      "#a",
      "- a",
      "-",
      "--",
      "---",
      "--- a",
      "...",
      "yes",
      "NO",
      "~",
      "null",
      "1",
      "0x1F",
      "1_0",
      "1e3",
      ".5",
      ".inf",
      "-.inf",
      "<<",
      "=",
      "!x",
      "&a",
      "*a",
      "%a",
      "@a",
      "`a",
      "{a",
      "[a",
      "]",
      ",a",
      "a,b",
      "'a'",
      "\"a\"",
      "a\nb",
      "a\n",
      "a\n\n",
      "\n",
      "\na",
      " a\nb",
      "a\n b\n",
      "a\n \n",
      "a \nb",
      "a\n\n\nb",
      "a\tb",
      "\ta",
      "a\r\nb",
      "a\n---\n",
      "a\n# b",
      "\u0085",
      "\u2028a",
      "\uFEFF",
      "\u00e9",
      "\x7f",
      "? a",
      "?",
      "|",
      ">",
      "a\\nb",
      "2001-01-01",
      "a: b\nc",
      "key",
      "/bin/sh",
      "10Gi",
      std::string_view("\0", 1),
  };
  for (const std::string_view text : cases) {
    std::string json;
    AppendQuoted(json, text);
    SCOPED_TRACE(json);
    const auto document = ParseJson("{\"v\":" + json + "," + json + ":[" + json + ",[" + json + "]]}");
    ASSERT_TRUE(document) << document.error().message;

    const std::string yaml = ToYaml(document->root());
    const auto back = ParseYaml(yaml);

    ASSERT_TRUE(back) << back.error().message << "\n" << yaml;
    ASSERT_EQ(back->size(), 1U);
    EXPECT_EQ((*back)[0].root().ToJson(), document->root().ToJson()) << yaml;
    const auto scalar = ParseYaml(ToYaml(document->root()["v"]));
    ASSERT_TRUE(scalar);
    EXPECT_EQ(scalar->at(0).root().ToJson(), json);
  }
}

TEST(ToYaml, LongKeysReadBack) {
  const std::string key(5000, 'k');
  const auto document = ParseJson("{\"a\":{\"" + key + "\":[{\"" + key + "\":{\"b\":1}}]}}");
  ASSERT_TRUE(document);

  const auto back = ParseYaml(ToYaml(document->root()));

  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ((*back)[0].root().ToJson(), document->root().ToJson());
}

}  // namespace
}  // namespace berth::api
