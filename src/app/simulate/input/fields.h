// SPDX-License-Identifier: Apache-2.0
// Fields: reads the members of one map of a timeline and says where something is wrong.

#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "api/document/value.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::simulate {

class Fields {
 public:
  // `where` leads to the map: "events[3]". Fails if `value` is no map or has a member that is not in `known`.
  static Result<Fields> Open(api::Value value, const std::string& file, std::string where,
                             std::initializer_list<std::string_view> known);

  bool Has(std::string_view name) const { return !map_[name].is_null(); }
  api::Value operator[](std::string_view name) const { return map_[name]; }

  // Nothing if there is no such member. Durations are not negative.
  Result<std::optional<Duration>> ReadDuration(std::string_view name) const;
  Result<Duration> RequireDuration(std::string_view name) const;
  Result<std::string> RequireText(std::string_view name) const;
  Result<bool> ReadBool(std::string_view name) const;  // Absent: false.

  // The map that is the member of this name; fails like Open.
  Result<Fields> Inner(std::string_view name, std::initializer_list<std::string_view> known) const;

  // "file.yaml:12".
  std::string origin() const;
  // "file.yaml:12: events[3]".
  std::string place() const { return origin() + ": " + where_; }
  // "file.yaml:12: events[3].name: message", or about the map itself if `name` is empty or not there.
  std::unexpected<Error> Wrong(std::string_view name, std::string_view message) const;

 private:
  Fields(api::Value map, const std::string& file, std::string where)
      : map_(map), file_(file), where_(std::move(where)) {}

  std::string OriginOf(api::Value value) const;

  api::Value map_;
  std::string file_;
  std::string where_;
};

// "events[3]".
std::string At(std::string_view list, size_t index);

}  // namespace berth::simulate
