// SPDX-License-Identifier: Apache-2.0
#include "server/patch/patch_strictness.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "api/document/field_error.h"
#include "server/patch/go_text.h"

namespace berth::server {
namespace {

using api::Value;

constexpr std::array<std::string_view, 4> kOperationFields = {"from", "op", "path", "value"};

// Where a value stands. Made into a text only if there is something to say about it.
struct Step {
  const Step* up = nullptr;
  std::string_view name;  // Empty: an element of a list.
  size_t index = 0;
};

void AppendPath(std::string& out, const Step* step) {
  if (step == nullptr) return;
  AppendPath(out, step->up);
  if (step->name.empty()) {
    fmt::format_to(std::back_inserter(out), "[{}]", step->index);
  } else {
    if (!out.empty()) out += '.';
    out += step->name;
  }
}

bool HasDuplicates(Value map) {
  std::vector<std::string_view> keys;
  keys.reserve(map.size());
  for (size_t i = 0; i < map.size(); ++i) keys.push_back(map.key(i));
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

class Finder {
 public:
  explicit Finder(std::string_view prefix) : prefix_(prefix) {}

  void Visit(Value value, const Step* at) {
    if (value.is_list()) {
      for (size_t i = 0; i < value.size(); ++i) VisitElement(value[i], at, i);
    } else if (value.is_map()) {
      VisitMap(value, at, {});
    }
  }

  void VisitOperations(Value operations) {
    for (size_t i = 0; i < operations.size(); ++i) {
      const Step step{.up = nullptr, .name = {}, .index = i};
      VisitMap(operations[i], &step, kOperationFields);
    }
  }

  std::vector<std::string> Take() { return std::move(problems_); }

 private:
  void VisitElement(Value value, const Step* up, size_t index) {
    const Step step{.up = up, .name = {}, .index = index};
    Visit(value, &step);
  }

  // Members other than the `known` are strange, unless there are none of these.
  void VisitMap(Value map, const Step* up, std::span<const std::string_view> known) {
    const bool has_duplicates = HasDuplicates(map);
    std::unordered_set<std::string_view> seen;
    for (size_t i = 0; i < map.size(); ++i) {
      const Step step{.up = up, .name = map.key(i), .index = 0};
      if (!known.empty() && std::ranges::find(known, map.key(i)) == known.end()) {
        Report("unknown", step);
        continue;
      }
      if (has_duplicates && !seen.insert(map.key(i)).second) Report("duplicate", step);
      Visit(map[i], &step);
    }
  }

  void Report(std::string_view what, const Step& step) {
    std::string path;
    AppendPath(path, &step);
    std::string problem = fmt::format("{}{} field {}", prefix_, what, api::GoQuote(path));
    if (std::ranges::find(problems_, problem) == problems_.end()) problems_.push_back(std::move(problem));
  }

  std::string_view prefix_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> FindDuplicates(Value patch) {
  Finder finder("");
  finder.Visit(patch, nullptr);
  return finder.Take();
}

std::vector<std::string> FindStrayFields(Value operations) {
  Finder finder("json patch ");
  finder.VisitOperations(operations);
  return finder.Take();
}

Outcome<void> CheckOperationTypes(Value operations) {
  const auto refuse = [](Value value, std::string_view where) {
    return BadRequest(fmt::format("error decoding patch: json: cannot unmarshal {} into Go {}",
                                  api::GoKindName(value.kind()), where));
  };
  if (operations.is_null()) return {};
  if (!operations.is_list()) return refuse(operations, "value of type []handlers.jsonPatchOp");
  for (size_t i = 0; i < operations.size(); ++i) {
    const Value operation = operations[i];
    if (!operation.is_map() && !operation.is_null()) return refuse(operation, "value of type handlers.jsonPatchOp");
    for (size_t j = 0; j < operation.size(); ++j) {
      const std::string_view key = operation.key(j);
      if (key != "op" && key != "path" && key != "from") continue;
      if (operation[j].is_string() || operation[j].is_null()) continue;
      return refuse(operation[j], fmt::format("struct field jsonPatchOp.{} of type string", key));
    }
  }
  return {};
}

}  // namespace berth::server
