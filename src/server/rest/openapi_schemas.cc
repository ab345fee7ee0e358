// SPDX-License-Identifier: Apache-2.0
#include "server/rest/openapi_schemas.h"

#include <algorithm>
#include <vector>

#include "api/wire/json_fields.h"
#include "server/model/strategy.h"
#include "server/rest/openapi_text.h"

namespace berth::server {
namespace {

using api::JsonField;
using api::JsonFields;
using api::JsonWriter;
using api::wire::Field;
using api::wire::Form;
using api::wire::Message;
using api::wire::MessageAt;
using api::wire::Shape;
using api::wire::Type;

template <class Visit>
void ForEachWord(std::string_view words, Visit visit) {
  for (;;) {
    const size_t end = words.find(',');
    visit(words.substr(0, end));
    if (end == std::string_view::npos) return;
    words.remove_prefix(end + 1);
  }
}

void WriteType(JsonWriter& out, std::string_view type, std::string_view format = {}) {
  out.Key("type").String(type).Text("format", format);
}

void WriteOneOf(JsonWriter& out, std::string_view first, std::string_view second) {
  out.Key("oneOf").BeginArray();
  for (const std::string_view type : {first, second}) {
    out.BeginObject();
    WriteType(out, type);
    out.EndObject();
  }
  out.EndArray();
}

void WriteStrings(JsonWriter& out) {
  WriteType(out, "array");
  out.Key("items").BeginObject();
  WriteType(out, "string");
  out.EndObject();
}

// Clients show it when they explain a field.
std::string EnumDescription(std::string_view values) {
  std::string text = "Possible enum values:";
  ForEachWord(values, [&](std::string_view value) { text.append("\n - `\"").append(value).append("\"`"); });
  return text;
}

void WriteEnum(JsonWriter& out, std::string_view values) {
  if (values.empty()) return;
  out.Key("enum").BeginArray();
  ForEachWord(values, [&](std::string_view value) { out.String(value); });
  out.EndArray();
}

// What a single value of the field is.
void WriteElement(JsonWriter& out, OpenApiForm form, const Field& field) {
  switch (field.type) {
    case Type::kString: WriteType(out, "string"); return WriteEnum(out, field.types().values);
    case Type::kBytes: return WriteType(out, "string", "byte");
    case Type::kBool: return WriteType(out, "boolean");
    case Type::kInt32: return WriteType(out, "integer", "int32");
    case Type::kInt64: return WriteType(out, "integer", "int64");
    case Type::kMessage: break;
  }
  const Message& message = MessageAt(field.message);
  if (message.form == Form::kStrings) return WriteStrings(out);
  WriteReference(out, form, message.name);
}

std::string PatchStrategy(const Field& field) {
  std::string strategy;
  if (field.Has(api::wire::kPatchMerge)) strategy = "merge";
  if (field.Has(api::wire::kPatchReplace)) strategy = "replace";
  if (field.Has(api::wire::kPatchRetainKeys)) strategy += strategy.empty() ? "retainKeys" : ",retainKeys";
  return strategy;
}

std::string_view ListType(const Field& field) {
  if (field.Has(api::wire::kListSet)) return "set";
  if (field.Has(api::wire::kListMap)) return "map";
  return field.Has(api::wire::kAtomic) ? "atomic" : "";
}

std::string_view MapType(const Field& field) {
  if (field.Has(api::wire::kGranular)) return "granular";
  return field.Has(api::wire::kAtomic) ? "atomic" : "";
}

void WriteMerging(JsonWriter& out, const Field& field) {
  const bool is_list = field.shape == Shape::kRepeated;
  out.Text(is_list ? "x-kubernetes-list-type" : "x-kubernetes-map-type", is_list ? ListType(field) : MapType(field));
  if (field.Has(api::wire::kListMap)) {
    out.Key("x-kubernetes-list-map-keys").BeginArray();
    ForEachWord(field.keys().list, [&](std::string_view key) { out.String(key); });
    out.EndArray();
  }
  out.Text("x-kubernetes-patch-merge-key", field.keys().patch);
  out.Text("x-kubernetes-patch-strategy", PatchStrategy(field));
}

// In v3 a reference may have no other members beside it.
bool NeedsWrapping(OpenApiForm form, const Field& field, bool has_description) {
  if (form == OpenApiForm::kV2 || field.shape != Shape::kSingle || field.type != Type::kMessage) return false;
  return has_description || !MapType(field).empty() || !PatchStrategy(field).empty();
}

std::string DescriptionOf(std::string_view message, const JsonField& field) {
  std::string text(DescribeField(message, field.name));
  const std::string_view values = field.field->types().values;
  if (values.empty()) return text;
  if (!text.empty()) text += "\n\n";
  return text + EnumDescription(values);
}

void WriteProperty(JsonWriter& out, OpenApiForm form, std::string_view message, const JsonField& named) {
  const Field& field = *named.field;
  const std::string description = DescriptionOf(message, named);
  out.BeginObject().Text("description", description);
  if (field.shape != Shape::kSingle) {
    const bool is_list = field.shape == Shape::kRepeated;
    WriteType(out, is_list ? "array" : "object");
    out.Key(is_list ? "items" : "additionalProperties").BeginObject();
    WriteElement(out, form, field);
    out.EndObject();
  } else if (NeedsWrapping(form, field, !description.empty())) {
    out.Key("allOf").BeginArray().BeginObject();
    WriteElement(out, form, field);
    out.EndObject().EndArray();
  } else {
    WriteElement(out, form, field);
  }
  WriteMerging(out, field);
  out.EndObject();
}

bool IsRequired(const Field& field) {
  if (field.Has(api::wire::kRequired)) return true;
  return !field.Has(api::wire::kOmitEmpty) && !field.Has(api::wire::kOptional);
}

void WriteRequired(JsonWriter& out, std::span<const JsonField> fields) {
  std::vector<const JsonField*> required;
  for (const JsonField& field : fields) {
    if (IsRequired(*field.field)) required.push_back(&field);
  }
  if (required.empty()) return;
  std::ranges::sort(required, {}, &JsonField::place);
  out.Key("required").BeginArray();
  for (const JsonField* const field : required) out.String(field->name);
  out.EndArray();
}

void WriteSelectable(JsonWriter& out, const Resource& custom) {
  const std::span<const std::string_view> paths = custom.strategy->selectable_fields();
  if (paths.empty()) return;
  out.Key("x-kubernetes-selectable-fields").BeginArray();
  for (const std::string_view path : paths) out.BeginObject().Key("fieldPath").String(path).EndObject();
  out.EndArray();
}

}  // namespace

void WriteReference(JsonWriter& out, OpenApiForm form, std::string_view message_name) {
  const std::string_view root = form == OpenApiForm::kV2 ? "#/definitions/" : "#/components/schemas/";
  out.Key("$ref").String(std::string(root).append(message_name));
}

void OpenApiSchemas::Add(uint16_t message) {
  if (MessageAt(message).form == Form::kStrings || !messages_.insert(message).second) return;
  for (const JsonField& field : JsonFields::Of(MessageAt(message)).by_name()) {
    if (field.field->type == Type::kMessage) Add(field.field->message);
  }
}

void OpenApiSchemas::Write(JsonWriter& out) const {
  for (const uint16_t index : messages_) {
    const Message& message = MessageAt(index);
    out.Key(message.name).BeginObject().Text("description", DescribeMessage(message.name));
    switch (message.form) {
      case Form::kStruct: WriteStruct(out, index); break;
      case Form::kQuantity: WriteEither(out, "string", "number"); break;
      case Form::kTime:
      case Form::kMicroTime: WriteType(out, "string", "date-time"); break;
      case Form::kIntOrString:
        out.Key("format").String("int-or-string");
        WriteEither(out, "integer", "string");
        break;
      case Form::kSchema:
      case Form::kRaw: WriteType(out, "object"); break;
      case Form::kStrings: break;
    }
    out.EndObject();
  }
  for (const Resource* const resource : custom_) WriteCustom(out, *resource);
}

void OpenApiSchemas::WriteCustom(JsonWriter& out, const Resource& resource) const {
  const std::string name = CustomSchemaName(resource, resource.kind);
  out.Key(name);
  resource.custom->WriteOpenApi(out, form_ == OpenApiForm::kV2);
  out.Key(CustomSchemaName(resource, resource.list_kind)).BeginObject();
  out.Key("description").String(fmt::format("{} is a list of {}", resource.list_kind, resource.kind));
  WriteType(out, "object");
  out.Key("required").BeginArray().String("items").EndArray().Key("properties").BeginObject();
  for (const std::string_view text : {"apiVersion", "kind"}) {
    out.Key(text).BeginObject();
    WriteType(out, "string");
    out.EndObject();
  }
  out.Key("items").BeginObject();
  WriteType(out, "array");
  out.Key("items").BeginObject();
  WriteReference(out, form_, name);
  out.EndObject().EndObject();
  out.Key("metadata").BeginObject();
  WriteReference(out, form_, "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta");
  out.EndObject().EndObject();
  out.Key("x-kubernetes-group-version-kind").BeginArray().BeginObject();
  out.Key("group")
      .String(resource.group)
      .Key("version")
      .String(resource.version)
      .Key("kind")
      .String(resource.list_kind);
  out.EndObject().EndArray();
  WriteSelectable(out, resource);
  out.EndObject();
}

void OpenApiSchemas::Add(const Resource& custom) {
  if (!custom_.insert(&custom).second) return;
  // What its schemas refer to.
  Add(api::wire::FindKind("v1", "PartialObjectMetadata")->message);
  Add(api::wire::FindKind("v1", "PartialObjectMetadataList")->message);
}

std::string CustomSchemaName(const Resource& resource, std::string_view kind) {
  std::string name;
  for (std::string_view rest = resource.group; !rest.empty();) {
    const size_t dot = rest.rfind('.');
    name.append(dot == std::string_view::npos ? rest : rest.substr(dot + 1)).append(1, '.');
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
  }
  return name.append(resource.version).append(1, '.').append(kind);
}

// v2 knows one type only, and everything can be read as a string.
void OpenApiSchemas::WriteEither(JsonWriter& out, std::string_view first, std::string_view second) const {
  form_ == OpenApiForm::kV2 ? WriteType(out, "string") : WriteOneOf(out, first, second);
}

void OpenApiSchemas::WriteStruct(JsonWriter& out, uint16_t index) const {
  const Message& message = MessageAt(index);
  const std::span<const JsonField> fields = JsonFields::Of(message).by_name();
  WriteType(out, "object");
  WriteRequired(out, fields);
  if (!fields.empty()) {
    out.Key("properties").BeginObject();
    for (const JsonField& field : fields) {
      out.Key(field.name);
      WriteProperty(out, form_, message.name, field);
    }
    out.EndObject();
  }
  if (message.atomic) out.Key("x-kubernetes-map-type").String("atomic");
  WriteKinds(out, index);
}

// The kinds that have this message. Those of all versions, such as DeleteOptions, are of this one too.
void OpenApiSchemas::WriteKinds(JsonWriter& out, uint16_t index) const {
  std::vector<const api::wire::Kind*> kinds;
  for (const api::wire::Kind& kind : api::wire::Kinds()) {
    if (kind.message == index) kinds.push_back(&kind);
  }
  if (kinds.empty()) return;
  out.Key("x-kubernetes-group-version-kind").BeginArray();
  for (const api::wire::Kind* const kind : kinds) {
    const size_t slash = kind->api_version.find('/');
    const bool is_core = slash == std::string_view::npos;
    const bool is_common = kind->api_version == "meta.k8s.io/v1";
    const std::string_view group = is_core ? std::string_view() : kind->api_version.substr(0, slash);
    const std::string_view version = is_core ? kind->api_version : kind->api_version.substr(slash + 1);
    out.BeginObject().Key("group").String(is_common ? group_ : group);
    out.Key("version").String(is_common ? version_ : version).Key("kind").String(kind->kind).EndObject();
  }
  out.EndArray();
}

}  // namespace berth::server
