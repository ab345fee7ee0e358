// SPDX-License-Identifier: Apache-2.0
#include "server/rest/openapi_protobuf.h"

#include <string_view>

#include "api/document/yaml_writer.h"
#include "server/rest/protobuf_field.h"

namespace berth::server {
namespace {

using api::Value;

// One message of openapi.v2, from an object of JSON. Members that are absent are left out.
class OpenApiMessage {
 public:
  explicit OpenApiMessage(Value object) : object_(object) {}

  OpenApiMessage& Text(uint32_t number, std::string_view name) {
    if (const std::string_view text = object_[name].text(); !text.empty()) AppendField(out_, number, text);
    return *this;
  }
  OpenApiMessage& Flag(uint32_t number, std::string_view name) {
    if (object_[name].text() == "true") AppendIntField(out_, number, 1);
    return *this;
  }
  OpenApiMessage& Texts(uint32_t number, std::string_view name) {
    const Value list = object_[name];
    for (size_t i = 0; i < list.size(); ++i) AppendField(out_, number, list[i].text());
    return *this;
  }
  template <class Encode>
  OpenApiMessage& Member(uint32_t number, std::string_view name, Encode encode) {
    if (const Value member = object_[name]; !member.is_null()) AppendField(out_, number, encode(member));
    return *this;
  }
  template <class Encode>
  OpenApiMessage& List(uint32_t number, std::string_view name, Encode encode) {
    const Value list = object_[name];
    for (size_t i = 0; i < list.size(); ++i) AppendField(out_, number, encode(list[i]));
    return *this;
  }
  // All members, each with its name.
  template <class Encode>
  OpenApiMessage& Named(uint32_t number, Encode encode) {
    for (size_t i = 0; i < object_.size(); ++i) AppendNamed(number, object_.key(i), encode(object_[i]));
    return *this;
  }
  // Members that OpenAPI does not know, whose names begin with x-; their values are YAML.
  OpenApiMessage& Extensions(uint32_t number) {
    for (size_t i = 0; i < object_.size(); ++i) {
      if (object_.key(i).starts_with("x-")) AppendNamed(number, object_.key(i), Any(object_[i]));
    }
    return *this;
  }

  std::string Take() { return std::move(out_); }

  static std::string Any(Value value) {
    std::string any;
    AppendField(any, 2, api::ToYaml(value));
    return any;
  }

 private:
  void AppendNamed(uint32_t number, std::string_view name, std::string_view value) {
    std::string named;
    AppendField(named, 1, name);
    AppendField(named, 2, value);
    AppendField(out_, number, named);
  }

  Value object_;
  std::string out_;
};

std::string Wrapped(uint32_t number, std::string_view message) {
  std::string out;
  AppendField(out, number, message);
  return out;
}

std::string Schema(Value schema);

std::string SchemaItem(Value schema) { return Wrapped(1, Schema(schema)); }
std::string NamedSchemas(Value schemas) { return OpenApiMessage(schemas).Named(1, Schema).Take(); }
std::string TypeItem(Value type) { return Wrapped(1, type.text()); }

std::string Schema(Value schema) {
  return OpenApiMessage(schema)
      .Text(1, "$ref")
      .Text(2, "format")
      .Text(4, "description")
      .Texts(19, "required")
      .List(20, "enum", OpenApiMessage::Any)
      .Member(21, "additionalProperties", SchemaItem)
      .Member(22, "type", TypeItem)
      .Member(23, "items", SchemaItem)
      .Member(25, "properties", NamedSchemas)
      .Extensions(31)
      .Take();
}

std::string BodyParameter(Value parameter) {
  return OpenApiMessage(parameter).Text(2, "name").Text(3, "in").Flag(4, "required").Member(5, "schema", Schema).Take();
}

std::string QueryParameter(Value parameter) {
  return OpenApiMessage(parameter)
      .Flag(1, "required")
      .Text(2, "in")
      .Text(4, "name")
      .Text(6, "type")
      .Flag(20, "uniqueItems")
      .Take();
}

std::string PathParameter(Value parameter) {
  return OpenApiMessage(parameter)
      .Flag(1, "required")
      .Text(2, "in")
      .Text(4, "name")
      .Text(5, "type")
      .Flag(19, "uniqueItems")
      .Take();
}

// Each sort of parameter is wrapped in its own way.
std::string ParameterItem(Value parameter) {
  const std::string_view in = parameter["in"].text();
  if (in == "body") return Wrapped(1, Wrapped(1, BodyParameter(parameter)));
  return Wrapped(
      1, Wrapped(2, in == "path" ? Wrapped(4, PathParameter(parameter)) : Wrapped(3, QueryParameter(parameter))));
}

std::string ResponseItem(Value response) {
  return Wrapped(1, OpenApiMessage(response).Text(1, "description").Member(2, "schema", SchemaItem).Take());
}

std::string ResponseItems(Value responses) { return OpenApiMessage(responses).Named(1, ResponseItem).Take(); }

std::string OperationItem(Value operation) {
  return OpenApiMessage(operation)
      .Texts(1, "tags")
      .Text(5, "operationId")
      .Texts(6, "produces")
      .Texts(7, "consumes")
      .List(8, "parameters", ParameterItem)
      .Member(9, "responses", ResponseItems)
      .Extensions(13)
      .Take();
}

std::string PathItem(Value path) {
  return OpenApiMessage(path)
      .Member(2, "get", OperationItem)
      .Member(3, "put", OperationItem)
      .Member(4, "post", OperationItem)
      .Member(5, "delete", OperationItem)
      .Member(8, "patch", OperationItem)
      .List(9, "parameters", ParameterItem)
      .Take();
}

std::string InfoItem(Value info) { return OpenApiMessage(info).Text(1, "title").Text(2, "version").Take(); }
std::string PathItems(Value paths) { return OpenApiMessage(paths).Named(2, PathItem).Take(); }

}  // namespace

std::string OpenApiToProtobuf(Value document) {
  return OpenApiMessage(document)
      .Text(1, "swagger")
      .Member(2, "info", InfoItem)
      .Member(8, "paths", PathItems)
      .Member(9, "definitions", NamedSchemas)
      .Take();
}

}  // namespace berth::server
