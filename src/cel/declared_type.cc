// SPDX-License-Identifier: Apache-2.0
#include "cel/declared_type.h"

#include <algorithm>

#include "base/ascii.h"

namespace berth::cel {

DeclaredType::DeclaredType(TypeKind of) : kind(of) {}
DeclaredType::DeclaredType(DeclaredType&&) noexcept = default;
DeclaredType& DeclaredType::operator=(DeclaredType&&) noexcept = default;
DeclaredType::~DeclaredType() = default;

const DeclaredType* DeclaredType::Find(std::string_view field) const {
  const auto found = std::ranges::lower_bound(fields, field, {}, &DeclaredField::name);
  return found != fields.end() && found->name == field ? &found->type : nullptr;
}

bool IsReservedName(std::string_view name) {
  constexpr std::string_view kReserved[] = {"true",     "false",   "null",      "in",       "as",  "break",  "const",
                                            "continue", "else",    "for",       "function", "if",  "import", "let",
                                            "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  return std::ranges::find(kReserved, name) != std::end(kReserved);
}

std::string EscapeName(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return {};
  if (IsReservedName(name)) return "__" + std::string(name) + "__";
  std::string escaped;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '_' && i + 1 < name.size() && name[i + 1] == '_') {
      escaped += "__underscores__";
      ++i;
    } else if (IsAlphanumeric(c) || c == '_') {
      escaped += c;
    } else if (c == '.') {
      escaped += "__dot__";
    } else if (c == '-') {
      escaped += "__dash__";
    } else if (c == '/') {
      escaped += "__slash__";
    } else {
      return {};
    }
  }
  return escaped;
}

}  // namespace berth::cel
