// SPDX-License-Identifier: Apache-2.0
#include "client/orders/json_edit.h"

#include <algorithm>

#include "api/document/json_writer.h"

namespace berth::client {
namespace {

using api::JsonWriter;
using api::Value;
using Edits = std::vector<const JsonMember*>;

void WriteMap(JsonWriter& out, Value map, const Edits& edits, size_t depth);

// All of `edits` go through the same member, whose old value is `value`.
void WriteMember(JsonWriter& out, Value value, const Edits& edits, size_t depth) {
  const JsonMember& last = *edits.back();
  if (last.path.size() == depth + 1) {
    out.Raw(last.json);
  } else {
    WriteMap(out, value, edits, depth + 1);
  }
}

void WriteMap(JsonWriter& out, Value map, const Edits& edits, size_t depth) {
  Edits left = edits;
  const auto take = [&](std::string_view name) {
    Edits taken;
    std::erase_if(left, [&](const JsonMember* edit) {
      const bool matches = edit->path[depth] == name;
      if (matches) taken.push_back(edit);
      return matches;
    });
    return taken;
  };
  out.BeginObject();
  for (size_t i = 0; i < map.size(); ++i) {
    const Edits taken = take(map.key(i));
    out.Key(map.key(i));
    taken.empty() ? void(out.Copy(map[i])) : WriteMember(out, map[i], taken, depth);
  }
  while (!left.empty()) {
    const std::string name = left.front()->path[depth];
    out.Key(name);
    WriteMember(out, Value(), take(name), depth);
  }
  out.EndObject();
}

}  // namespace

std::string WithMembers(Value root, std::span<const JsonMember> members) {
  Edits edits;
  for (const JsonMember& member : members) edits.push_back(&member);
  JsonWriter out;
  WriteMap(out, root, edits, 0);
  return out.Take();
}

}  // namespace berth::client
