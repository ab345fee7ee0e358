// SPDX-License-Identifier: Apache-2.0
// The canonical form of API objects: what upstream keeps of an object after decoding and encoding it again.
//
// Unknown members and nulls go, empty values go where upstream leaves them out, and zero values (or null, for a list
// that must be there) appear where it writes them; quantities, times and base64 are spelled as upstream spells them.
// The wire table knows all of this, so there is no code per kind. kind and apiVersion are members like others.
//
// Thread: any.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/json_tree.h"
#include "api/value.h"
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

// What strict decoding finds in a body, in the order of the text: `unknown field "spec.nodeNamee"` and, for a member
// that occurs twice in one map, `duplicate field "spec.nodeName"`.
std::vector<std::string> StrictErrors(Value object, const wire::Message& message);

// The JSON text of a canonical object, its members in the order in which upstream writes them.
std::string EncodeJson(const Json& object, const wire::Message& message);
void AppendJson(std::string& out, const Json& object, const wire::Message& message);

}  // namespace berth::api
