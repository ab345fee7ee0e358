// SPDX-License-Identifier: Apache-2.0
// berth-apply-steps: checks managed fields and server-side apply on steps that upstream's field manager took.
//
//   berth-apply-steps FILE...
//
// Each line is a step of tests/oracle/apply: the object before, what a manager sent, and the object after or the error.
// The exit status is 0 if there are no differences.

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "api/typed/typed.h"
#include "api/wire/table.h"
#include "base/time.h"
#include "server/model/json.h"
#include "server/patch/apply.h"
#include "server/patch/managed_fields.h"
#include "vector_lines.h"

namespace {

using namespace berth::server;
namespace wire = berth::api::wire;

Json Canonical(Json object, const wire::Message& message) {
  if (const auto done = Canonicalize(object, message); !done) return Json::String(done.error().message);
  return object;
}

std::string Difference(const std::string& found, const std::string& wanted) {
  if (found == wanted) return {};
  const size_t at = static_cast<size_t>(std::ranges::mismatch(found, wanted).in1 - found.begin());
  const size_t from = at > 150 ? at - 150 : 0;
  return "want " + wanted.substr(from, 300) + "\n  got  " + found.substr(from, 300);
}

// The lines of a text, all but the first sorted.
std::string SortLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin() + 1, lines.end());
  std::string sorted = lines[0];
  for (size_t i = 1; i < lines.size(); ++i) sorted += "\n" + lines[i];
  return sorted;
}

// The parts that upstream tells, in the order of the oracle: upstream's is that of a map.
Json Describe(StatusError error) {
  std::ranges::stable_sort(error.causes, {}, &FieldError::message);
  if (error.code == 500) error.message = SortLines(error.message);
  Json result{{"code", Json::Int(error.code)}, {"message", Json::String(error.message)}};
  for (const FieldError& cause : error.causes) {
    result.Make("causes").Append(Json{{"field", Json::String(cause.field)}, {"message", Json::String(cause.message)}});
  }
  return result;
}

// Empty if the step ends as it did upstream.
std::string Check(const Json& step) {
  static const FieldSet kStatus = FieldSet::OfNames({{"status"}});
  static const FieldSet kSpec = FieldSet::OfNames({{"spec"}});
  const wire::Kind* kind = wire::FindKind(step["apiVersion"].text(), step["kind"].text());
  if (kind == nullptr) return "unknown kind";
  const wire::Message& message = wire::MessageAt(kind->message);
  const FieldManagerOptions options{.manager = step["manager"].text(),
                                    .api_version = kind->api_version,
                                    .kind = kind->kind,
                                    .subresource = step["subresource"].text(),
                                    .now = berth::ParseTime(step["now"].text()).value_or(berth::Time()),
                                    .force = step["force"].AsBool(),
                                    .reset = step["subresource"].text().empty() ? &kStatus : &kSpec};
  const Json live = Canonical(step["live"], message);
  const Json* old = step["live"].is_null() ? nullptr : &live;
  Json object = step["object"];
  if (step["op"].text() == "update") {
    object = Canonical(std::move(object), message);
    TrackUpdate(old, object, message, options);
  } else {
    Outcome<Json> applied = ApplyConfig(old, object, message, options);
    if (!applied) return Difference(Describe(applied.error()).ToText(), step["error"].ToText());
    object = *std::move(applied);
  }
  return Difference(Canonical(std::move(object), message).ToText(), Canonical(step["result"], message).ToText());
}

}  // namespace

int main(int argc, char** argv) {
  size_t passed = 0;
  size_t failed = 0;
  for (int i = 1; i < argc; ++i) {
    const auto check = [&](const std::string& line, size_t number) {
      const auto step = ParseTree(line);
      const std::string problem = step ? Check(*step) : step.error().message;
      ++(problem.empty() ? passed : failed);
      if (problem.empty()) return;
      std::cout << "line " << number << " (" << (step ? (*step)["op"].text() + " " + (*step)["kind"].text() : "")
                << "): " << problem << "\n";
    };
    if (!ForEachVector(argv[i], check)) {
      std::cerr << "berth-apply-steps: cannot read " << argv[i] << "\n";
      return 2;
    }
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}
