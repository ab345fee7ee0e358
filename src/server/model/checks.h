// SPDX-License-Identifier: Apache-2.0
// The checks of which the validation of most kinds consists: each reports to FieldErrors what is wrong with a field.

#pragma once

#include <initializer_list>
#include <string_view>

#include "api/parts/quantity.h"
#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"
#include "server/model/value_rules.h"

namespace berth::server {

// Each problem as an invalid value.
inline void Report(FieldErrors& errors, const FieldPath& path, std::string_view value, const Problems& problems) {
  for (const std::string& problem : problems) errors.Invalid(path, value, problem);
}
inline void Report(FieldErrors& errors, const FieldPath& path, const Json& value, const Problems& problems) {
  for (const std::string& problem : problems) errors.Invalid(path, value, problem);
}

// Whether the member, a string or list, is there and not empty; it is reported otherwise.
bool Require(FieldErrors& errors, const FieldPath& object_path, const Json& object, std::string_view name);

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> texts);
// Reports a text that is none of those.
void CheckOneOf(FieldErrors& errors, const FieldPath& path, std::string_view text,
                std::initializer_list<std::string_view> supported);
// The same for a member that may be absent.
void CheckMemberOneOf(FieldErrors& errors, const FieldPath& object_path, const Json& object, std::string_view name,
                      std::initializer_list<std::string_view> supported);
// The same for a member that must be there.
void CheckEnum(FieldErrors& errors, const FieldPath& object_path, const Json& object, std::string_view name,
               std::initializer_list<std::string_view> supported);

// Members of `object` that, if they are there, must be numbers not below 0.
void CheckNonNegative(FieldErrors& errors, const FieldPath& object_path, const Json& object,
                      std::initializer_list<std::string_view> names);

// A DNS label that must be there.
void CheckRequiredDnsLabel(FieldErrors& errors, const FieldPath& object_path, const Json& object,
                           std::string_view name);
void CheckUnixIdMember(FieldErrors& errors, const FieldPath& object_path, const Json& object, std::string_view name);
void CheckQualifiedName(FieldErrors& errors, const FieldPath& path, std::string_view name);

// A path without `..` elements.
void CheckNoBacksteps(FieldErrors& errors, const FieldPath& path, std::string_view target);
// Such a path that is relative.
void CheckRelativePath(FieldErrors& errors, const FieldPath& path, std::string_view target);
// Such a path that does not begin with `..` in any way.
void CheckLocalPath(FieldErrors& errors, const FieldPath& path, std::string_view target);

// A port by number or name.
void CheckPort(FieldErrors& errors, const FieldPath& path, const Json& port);

// The field may not differ from what it was.
void CheckImmutable(FieldErrors& errors, const FieldPath& path, const Json& value, const Json& old);

// Zero if the text is no quantity.
api::Quantity ToQuantity(const Json& text);

}  // namespace berth::server
