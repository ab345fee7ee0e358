// SPDX-License-Identifier: Apache-2.0
// berth-patch-vectors: checks JSON patch, merge patch and strategic merge patch against what upstream made of the same
// objects and patches.
//
//   berth-patch-vectors FILE...
//
// Each line is {"type", "apiVersion", "kind", "object", "patch"} with "result" or "code" and "message" (see
// tests/oracle/patch). The exit status is 0 if there are no differences.

#include <iostream>
#include <string>

#include "api/wire/table.h"
#include "server/model/json.h"
#include "server/patch/json_patch.h"
#include "server/patch/merge_patch.h"
#include "server/patch/strategic_merge.h"
#include "vector_lines.h"

namespace {

using berth::server::Json;
using berth::server::Outcome;
namespace wire = berth::api::wire;

struct Counts {
  size_t passed = 0;
  size_t failed = 0;
};

Outcome<Json> Apply(const Json& record) {
  const std::string& type = record["type"].text();
  if (type == "json") return berth::server::ApplyJsonPatch(record["object"], record["patch"]);
  if (type == "merge") return berth::server::ApplyMergePatch(record["object"], record["patch"]);
  const wire::Kind* const kind = wire::FindKind(record["apiVersion"].text(), record["kind"].text());
  if (kind == nullptr) return berth::server::BadRequest("unknown kind");
  Json patch = record["patch"];
  return berth::server::ApplyStrategicMerge(record["object"], patch, wire::MessageAt(kind->message));
}

// Empty if the answer is upstream's.
std::string Check(const Json& record) {
  const Outcome<Json> answer = Apply(record);
  const std::string got =
      answer ? answer->ToText() : std::to_string(answer.error().code) + " " + answer.error().message;
  const std::string want =
      record.Has("result") ? record["result"].ToText() : record["code"].text() + " " + record["message"].text();
  return got == want ? "" : "want " + want + "\n  got  " + got;
}

void CheckLine(const std::string& line, Counts& counts) {
  const auto record = berth::server::ParseTree(line);
  const std::string problem = record ? Check(*record) : record.error().message;
  if (problem.empty()) {
    ++counts.passed;
    return;
  }
  ++counts.failed;
  std::cout << line << "\n  " << problem << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  Counts counts;
  for (int i = 1; i < argc; ++i) {
    if (!ForEachVector(argv[i], [&](const std::string& line, size_t) { CheckLine(line, counts); })) {
      std::cerr << "berth-patch-vectors: cannot read " << argv[i] << "\n";
      return 2;
    }
  }
  std::cout << counts.passed << " passed, " << counts.failed << " failed\n";
  return counts.failed == 0 && counts.passed > 0 ? 0 : 1;
}
