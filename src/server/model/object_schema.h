// SPDX-License-Identifier: Apache-2.0
// ObjectSchema: what the objects of a kind look like, whoever says so: the wire table for built-in kinds, or a
// CustomSchema, made from a definition while the server runs.
//
// Canonical form, patches, server-side apply and tables ask it, so they work on both alike.
//
// Thread: any; both are constant.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/document/json_writer.h"
#include "api/typed/typed.h"
#include "base/result.h"
#include "server/model/json.h"

namespace berth::server {

struct ApplyType;
struct Printer;

// Where a custom resource has what its scale shows: paths such as .spec.replicas.
struct ScalePaths {
  std::string spec_replicas;
  std::string status_replicas;
  std::string label_selector;  // Empty: none.
};

class CustomSchema {
 public:
  virtual ~CustomSchema() = default;

  // As api::Canonicalize: drops what the schema does not have and names it in `unknown`.
  virtual Result<void> Canonicalize(Json& object, std::vector<std::string>* unknown) const = 0;
  // For server-side apply.
  virtual const ApplyType& apply_type() const = 0;
  // The columns of its tables.
  virtual const Printer& printer() const = 0;
  // Whether the kind is there in this version too.
  virtual bool HasVersion(std::string_view api_version) const = 0;
  // Null: it has no scale.
  virtual const ScalePaths* scale() const = 0;
  // For clients of a deprecated version; empty: it is none.
  virtual std::string_view deprecation() const = 0;
  // Whether its definition is being deleted, so that no more objects are made.
  virtual bool is_ending() const = 0;
  // Writes the schema of the kind for OpenAPI, as one JSON object.
  virtual void WriteOpenApi(api::JsonWriter& out, bool is_v2) const = 0;
};

class ObjectSchema {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a message is one of the two ways to say what objects look like.
  ObjectSchema(const api::wire::Message& message) : message_(&message) {}
  explicit ObjectSchema(const CustomSchema& custom) : custom_(&custom) {}

  // One of them is null.
  const api::wire::Message* message() const { return message_; }
  const CustomSchema* custom() const { return custom_; }

  Result<void> Canonicalize(Json& object, std::vector<std::string>* unknown = nullptr) const {
    return custom_ != nullptr ? custom_->Canonicalize(object, unknown) : api::Canonicalize(object, *message_, unknown);
  }
  // The text of a canonical object. Custom ones are written by name, as upstream writes what it has no types for.
  std::string EncodeJson(const Json& object) const {
    return custom_ != nullptr ? object.ToText() : api::EncodeJson(object, *message_);
  }

 private:
  const api::wire::Message* message_ = nullptr;
  const CustomSchema* custom_ = nullptr;
};

}  // namespace berth::server
