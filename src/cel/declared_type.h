// SPDX-License-Identifier: Apache-2.0
// DeclaredType: the type of a variable whose structure was declared, by a schema or by hand.
//
// Fields of objects have the names by which expressions call them. Sizes are upstream's upper and lower bounds, from
// which costs are estimated.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/type.h"

namespace berth::cel {

struct DeclaredField;

struct DeclaredType {
  // kStruct is an object.
  explicit DeclaredType(TypeKind of);
  DeclaredType(DeclaredType&&) noexcept;
  DeclaredType& operator=(DeclaredType&&) noexcept;
  ~DeclaredType();

  const DeclaredType* Find(std::string_view field) const;

  TypeKind kind;
  uint64_t max_elements = 0;              // Of lists and maps; of texts the largest length.
  uint64_t min_size = 0;                  // The shortest JSON text of such a value.
  std::unique_ptr<DeclaredType> element;  // Of lists and maps, whose keys are strings.
  std::string name;                       // Of an object; empty: after the place where it stands.
  std::vector<DeclaredField> fields;      // Of an object, by name.
};

struct DeclaredField {
  std::string name;
  DeclaredType type;
};

// The name of a field in expressions: what no identifier may have is spelt out, as in a__dash__b. Empty if there is
// no way to write it.
std::string EscapeName(std::string_view name);
// Whether an identifier of this name is refused, so that the field is also found without its escape.
bool IsReservedName(std::string_view name);

}  // namespace berth::cel
