// SPDX-License-Identifier: Apache-2.0
// TextList: texts as JSON.

#pragma once

#include <string>
#include <vector>

#include "api/document/json_tree.h"

namespace berth::explain {

inline api::Json TextList(const std::vector<std::string>& texts) {
  api::Json list = api::Json::MakeList();
  for (const std::string& text : texts) list.Append(api::Json::String(text));
  return list;
}

}  // namespace berth::explain
