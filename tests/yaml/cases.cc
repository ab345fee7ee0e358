// SPDX-License-Identifier: Apache-2.0
// berth-yaml-cases: checks that YAML is written as upstream writes it.
//
//   berth-yaml-cases FILE...
//
// Each line is a tree as JSON and as upstream's YAML (see tests/oracle/yaml). The exit status is 0 if there are no
// differences.

#include <fmt/format.h>

#include "api/document/value.h"
#include "api/document/yaml_writer.h"
#include "vector_lines.h"

int main(int argc, char** argv) {
  using namespace berth;
  size_t passed = 0;
  size_t failed = 0;
  const auto check = [&](const std::string& line, size_t number) {
    const Result<api::Document> test = api::ParseJson(line);
    const std::string expected(test ? test->root()["yaml"].text() : "");
    const std::string written = test ? api::ToYaml(test->root()["json"], api::YamlOrder::kSorted) : "";
    if (test && written == expected) {
      ++passed;
      return;
    }
    if (++failed <= 5) fmt::print("line {}\n--- expected\n{}--- written\n{}", number, expected, written);
  };
  for (int i = 1; i < argc; ++i) {
    if (ForEachVector(argv[i], check)) continue;
    fmt::print("{}: cannot be read\n", argv[i]);
    ++failed;
  }
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
