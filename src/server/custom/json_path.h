// SPDX-License-Identifier: Apache-2.0
// JsonPath: the paths by which a definition names fields, such as .status.conditions[?(@.type=="Ready")].status.
//
// Names, also in brackets and quotes, indexes, [*], `*`, and comparisons of a field with a text are understood, which
// is what definitions use; other paths find nothing.
//
// Thread: any; constant.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

class JsonPath {
 public:
  explicit JsonPath(std::string_view text);

  // All values that it names, in their order. They live as long as the object.
  std::vector<const Json*> Find(const Json& object) const;

 private:
  enum class Kind : uint8_t { kName, kIndex, kAll, kFilter };
  struct Step {
    Kind kind = Kind::kName;
    std::string name;  // Or the text with which a filter compares.
    int64_t index = 0;
    std::vector<std::string> field;  // Of a filter.
    bool is_equal = true;
  };

  bool ParseBracket(std::string_view inside);
  static bool Matches(const Step& step, const Json& item);

  std::vector<Step> steps_;
  bool is_valid_ = true;
};

}  // namespace berth::server
