// SPDX-License-Identifier: Apache-2.0
// The canonical form of API objects: what upstream keeps of an object after decoding and encoding it again.
//
// Unknown members and nulls go, empty values go where upstream leaves them out, and zero values (or null, for a list
// that must be there) appear where it writes them; quantities, times and base64 are spelled as upstream spells them.
// The wire table knows all of this, so there is no code per kind. kind and apiVersion are members like others.
//
// Thread: any.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/json_tree.h"
#include "api/document/value.h"
#include "api/wire/table.h"
#include "base/result.h"

namespace berth::api {

// Makes `object` canonical. Unknown members are dropped and named in `unknown`, if that is given, as upstream names
// them: `unknown field "spec.nodeNamee"`. Fails if a member has the wrong type, with upstream's text:
// `json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container`.
Result<void> Canonicalize(Json& object, const wire::Message& message, std::vector<std::string>* unknown = nullptr);

// Sets a member of an object, which has its kind and apiVersion, to what it is when nobody set it: most often `{}` or
// absent.
void ResetMember(Json& object, std::string_view name);

// A member that strict decoding does not take: one that the message does not have, or that occurs twice in one map.
struct StrictError {
  enum class What : uint8_t { kUnknown, kDuplicate };

  What what = What::kUnknown;
  std::string path;                        // spec.nodeNamee.
  std::string_view name;                   // nodeNamee; lives as long as the document.
  const wire::Message* message = nullptr;  // Whose member it is; null for those of plain maps.
  uint32_t line = 0;                       // See Value::line.

  // As upstream says it: `unknown field "spec.nodeNamee"`.
  std::string ToText() const;
};

// In the order of the text. At most 100, as upstream.
std::vector<StrictError> StrictErrors(Value object, const wire::Message& message);

// The JSON text of a canonical object, its members in the order in which upstream writes them.
std::string EncodeJson(const Json& object, const wire::Message& message);
void AppendJson(std::string& out, const Json& object, const wire::Message& message);

}  // namespace berth::api
