// SPDX-License-Identifier: Apache-2.0
#include "net/accept.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace berth::net {
namespace {

std::string_view TakeTrimmed(std::string_view& text, char separator) {
  return Trim(TakeUntil(text, separator), kBlanks);
}

AcceptClause ParseClause(std::string_view text) {
  AcceptClause clause;
  std::string_view range = TakeTrimmed(text, ';');
  clause.type = TakeTrimmed(range, '/');
  clause.subtype = Trim(range, kBlanks);
  while (!text.empty()) {
    std::string_view value = TakeTrimmed(text, ';');
    const std::string name(TakeTrimmed(value, '='));
    value = Trim(value, kBlanks);
    if (name == "q") {
      std::from_chars(value.data(), value.data() + value.size(), clause.quality);
    } else if (!name.empty()) {
      clause.parameters[name] = value;
    }
  }
  return clause;
}

}  // namespace

std::vector<AcceptClause> ParseAccept(std::string_view header) {
  std::vector<AcceptClause> clauses;
  while (!header.empty()) {
    AcceptClause clause = ParseClause(TakeTrimmed(header, ','));
    if (!clause.type.empty()) clauses.push_back(std::move(clause));
  }
  std::ranges::stable_sort(clauses, std::greater(), &AcceptClause::quality);
  return clauses;
}

}  // namespace berth::net
