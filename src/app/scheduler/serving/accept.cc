// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/accept.h"

#include <algorithm>
#include <charconv>

namespace berth::scheduler_app {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view TakeTrimmed(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view head = Trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return head;
}

AcceptClause ParseClause(std::string_view text) {
  AcceptClause clause;
  std::string_view range = TakeTrimmed(text, ';');
  clause.type = TakeTrimmed(range, '/');
  clause.subtype = Trim(range);
  while (!text.empty()) {
    std::string_view value = TakeTrimmed(text, ';');
    const std::string name(TakeTrimmed(value, '='));
    value = Trim(value);
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

}  // namespace berth::scheduler_app
