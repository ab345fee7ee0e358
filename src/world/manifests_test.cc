// SPDX-License-Identifier: Apache-2.0
#include "world/manifests.h"

#include <gtest/gtest.h>

#include <sstream>

namespace berth::world {
namespace {

TEST(Manifests, ObjectsRememberTheirFileAndLine) {
  Manifests manifests;
  ASSERT_TRUE(manifests.Add("kind: A\napiVersion: v1\n---\nkind: B\napiVersion: v1\n", "x.yaml"));
  ASSERT_TRUE(manifests.Add(R"({"kind": "C", "apiVersion": "v1"})", "y.json"));

  ASSERT_EQ(manifests.all().size(), 3U);
  EXPECT_EQ(manifests.all()[0].origin, "x.yaml:1");
  EXPECT_EQ(manifests.all()[1].origin, "x.yaml:4");
  EXPECT_EQ(manifests.all()[2].origin, "y.json");
  EXPECT_EQ(manifests.all()[1].object.kind, "B");
}

TEST(Manifests, DashIsStandardInput) {
  std::istringstream in("kind: A\napiVersion: v1\n");

  const Result<Manifests> manifests = Manifests::Read({"-"}, in);

  ASSERT_TRUE(manifests);
  EXPECT_EQ(manifests->all()[0].origin, "standard input:1");
}

TEST(Manifests, ErrorsNameTheFile) {
  std::istringstream in;
  const Result<Manifests> missing = Manifests::Read({"no/such/file"}, in);
  EXPECT_EQ(missing.error().message, "no/such/file: no such file or directory");

  const Result<Manifests> remote = Manifests::Read({"https://example.com/a.yaml"}, in);
  EXPECT_EQ(
      remote.error().message,
      "https://example.com/a.yaml: addresses are not read; download it first: curl -LO https://example.com/a.yaml");
}

TEST(Manifests, ProblemsHaveTheirLinesInJsonToo) {
  Manifests manifests;
  ASSERT_TRUE(manifests.Add("kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec:\n  nodename: x\n", "x.yaml"));
  ASSERT_TRUE(
      manifests.Add("{\"kind\": \"Pod\", \"apiVersion\": \"v1\",\n\"spec\": {\n\"nodename\": \"x\"}}", "y.json"));

  using Texts = std::vector<std::string>;
  EXPECT_EQ(manifests.all()[0].problems,
            Texts{R"(x.yaml:5: Pod a: unknown field "spec.nodename"; did you mean nodeName?)"});
  EXPECT_EQ(manifests.all()[1].problems,
            Texts{R"(y.json:3: Pod: unknown field "spec.nodename"; did you mean nodeName?)"});
}

}  // namespace
}  // namespace berth::world
