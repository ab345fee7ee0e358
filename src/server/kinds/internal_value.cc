// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/internal_value.h"

#include <fmt/format.h>

#include "api/wire/table.h"

namespace berth::server {
namespace {

using api::wire::Field;
using api::wire::Form;
using api::wire::Message;
using api::wire::Shape;
using api::wire::Type;

std::string GoName(std::string_view name) {
  if (name == "cel") return "CEL";
  if (name == "ip") return "IP";
  if (name == "uid") return "UID";
  if (name.starts_with("api")) return "API" + std::string(name.substr(3));
  if (name.starts_with("seLinux")) return "SELinux" + std::string(name.substr(7));
  std::string go(name);
  if (go[0] >= 'a' && go[0] <= 'z') go[0] = static_cast<char>(go[0] - 'a' + 'A');
  return go;
}

void Append(std::string& out, const Json& value, const Message& message);

void AppendZero(std::string& out, const Field& field) {
  if (field.shape != Shape::kSingle || field.Has(api::wire::kPointer)) {
    out += "null";
  } else if (field.type == Type::kMessage) {
    Append(out, Json::MakeMap(), api::wire::MessageAt(field.message));
  } else {
    out += field.type == Type::kString ? R"("")" : field.type == Type::kBool ? "false" : "0";
  }
}

void AppendMember(std::string& out, const Json& value, const Field& field) {
  if (value.is_null()) {
    AppendZero(out, field);
  } else if (field.type == Type::kMessage && field.shape != Shape::kMap) {
    Append(out, value, api::wire::MessageAt(field.message));
  } else {
    value.AppendText(out);
  }
}

void Append(std::string& out, const Json& value, const Message& message) {
  // Types that all versions of the API share have no form of their own.
  if (message.form != Form::kStruct || message.name.starts_with("io.k8s.apimachinery.")) return value.AppendText(out);
  if (value.is_list()) {
    out += '[';
    for (const Json& item : value.items()) {
      if (out.back() != '[') out += ',';
      Append(out, item, message);
    }
    out += ']';
    return;
  }
  out += '{';
  for (const Field& field : message.fields()) {
    if (field.name().empty()) continue;
    if (out.back() != '{') out += ',';
    fmt::format_to(std::back_inserter(out), "\"{}\":", GoName(field.name()));
    AppendMember(out, value[field.name()], field);
  }
  out += '}';
}

}  // namespace

std::string InternalText(const Json& value, std::string_view message) {
  std::string out;
  const Message* found = api::wire::FindMessage(fmt::format("io.k8s.api.{}", message));
  if (found == nullptr || value.is_null()) return value.ToText();
  Append(out, value, *found);
  return out;
}

void InvalidInternal(FieldErrors& errors, std::string path, const Json& value, std::string_view message,
                     std::string_view detail) {
  errors.Add({.reason = "FieldValueInvalid",
              .message = fmt::format("Invalid value: {}: {}", InternalText(value, message), detail),
              .field = std::move(path)});
}

}  // namespace berth::server
