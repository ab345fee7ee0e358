// SPDX-License-Identifier: Apache-2.0
// The schemas of messages in OpenAPI v2 and v3, made from the wire table.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "api/document/json_writer.h"
#include "api/wire/table.h"
#include "server/model/resource.h"

namespace berth::server {

// Of the two that clients know.
enum class OpenApiForm : uint8_t { kV2, kV3 };

class OpenApiSchemas {
 public:
  // Of the documents of this version: its kinds are named in the schemas.
  OpenApiSchemas(OpenApiForm form, std::string_view group, std::string_view version)
      : form_(form), group_(group), version_(version) {}

  OpenApiForm form() const { return form_; }

  // Adds a message and all that it consists of.
  void Add(uint16_t message);

  // Adds a custom resource and its list. REQUIRES: it outlives this.
  void Add(const Resource& custom);

  // Writes the members of an object: a schema under each name.
  void Write(api::JsonWriter& out) const;

 private:
  void WriteEither(api::JsonWriter& out, std::string_view first, std::string_view second) const;
  void WriteStruct(api::JsonWriter& out, uint16_t index) const;
  void WriteKinds(api::JsonWriter& out, uint16_t index) const;
  void WriteCustom(api::JsonWriter& out, const Resource& resource) const;

  OpenApiForm form_;
  std::string_view group_;
  std::string_view version_;
  std::set<uint16_t> messages_;
  std::set<const Resource*> custom_;
};

// The name of the schema of a custom resource, such as com.example.v1.CronTab; `kind` may be that of its list.
std::string CustomSchemaName(const Resource& resource, std::string_view kind);

// {"$ref": "#/components/schemas/NAME"}, or the same of v2, as a member of the open object.
void WriteReference(api::JsonWriter& out, OpenApiForm form, std::string_view message_name);

}  // namespace berth::server
