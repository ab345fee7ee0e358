// SPDX-License-Identifier: Apache-2.0
// Answers: objects, lists and refusals in the form that the client asked for.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/model/status.h"
#include "server/rest/call.h"
#include "server/store/stored_object.h"

namespace berth::server {

// Ends the call.
void SendError(Call& call, const StatusError& error);
// An object of a kind in the wire table.
void SendTree(Call& call, int status, const Json& object);
// A kept object, as the call's resource and media show it.
void SendObject(Call& call, int status, const StoredObject& object, Time now);
void SendText(Call& call, int status, std::string_view content_type, std::string text);

struct ListPage {
  std::span<const ObjectPtr> objects;
  Revision revision = 0;
  std::string continues = {};             // Empty: this is the last page.
  std::optional<int64_t> remaining = {};  // After this page, if it is known.
};
void SendList(Call& call, const ListPage& page, Time now);

// The object as a converter shows it. Null: none was asked.
const Json* FindShown(const Call& call, const StoredObject& object);
// The object in the form of the call's resource.
Json ShownTree(const Call& call, const StoredObject& object);

// What the query says of rows' objects.
Outcome<void> CheckIncludeObject(const Call& call);

// The text of a tree as JSON, YAML or protobuf. Protobuf needs a kind of the wire table; others come as JSON.
std::string Encode(const Json& tree, Media::Format format);

// JSON with line breaks and an indentation of two.
std::string Indent(std::string_view json);

}  // namespace berth::server
