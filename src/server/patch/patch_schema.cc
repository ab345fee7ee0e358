// SPDX-License-Identifier: Apache-2.0
#include "server/patch/patch_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/document/field_error.h"
#include "api/wire/json_fields.h"

namespace berth::server {
namespace {

namespace wire = api::wire;
using api::JsonField;
using api::JsonFields;

std::string_view GoKind(const wire::Field& field) {
  if (field.shape == wire::Shape::kMap) return "map";
  switch (field.type) {
    case wire::Type::kString: return "string";
    case wire::Type::kBytes: return "slice";
    case wire::Type::kBool: return "bool";
    case wire::Type::kInt32: return "int32";
    case wire::Type::kInt64: return "int64";
    case wire::Type::kMessage: return "struct";
  }
  return "";
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Like Go's decoder: by the exact name, then in any case.
const wire::Field* FindField(const wire::Message& message, std::string_view name) {
  const JsonFields& fields = JsonFields::Of(message);
  if (const JsonField* const exact = fields.Find(name)) return exact->field;
  const auto found = std::ranges::find_if(
      fields.by_name(), [&](const JsonField& field) { return std::ranges::equal(field.name, name, {}, Lower, Lower); });
  return found == fields.by_name().end() ? nullptr : found->field;
}

std::string_view ShortName(std::string_view name) { return name.substr(name.rfind('.') + 1); }

Result<const wire::Field*> Lookup(const PatchSchema& schema, std::string_view name) {
  if (schema.message == nullptr) {
    return Invalid(
        fmt::format("merging an object in json but data type is not struct, instead is: {}", schema.go_kind));
  }
  if (const wire::Field* const field = FindField(*schema.message, name)) return field;
  return Invalid(fmt::format("unable to find api field in struct {} for the json field {}",
                             ShortName(schema.message->name), api::GoQuote(name)));
}

PatchField ToPatchField(const wire::Field& field) {
  return {.schema = PatchSchema(field),
          .merges = field.Has(wire::kPatchMerge),
          .replaces = field.Has(wire::kPatchReplace),
          .merge_key = field.keys().patch};
}

}  // namespace

PatchSchema::PatchSchema(const wire::Field& field)
    : message(field.type == wire::Type::kMessage && field.shape != wire::Shape::kMap ? &wire::MessageAt(field.message)
                                                                                     : nullptr),
      go_kind(GoKind(field)),
      is_pointer(field.shape == wire::Shape::kSingle && field.Has(wire::kPointer)) {}

Result<PatchField> PatchSchema::FindMap(std::string_view name) const {
  return ToPatchField(*BERTH_TRY(Lookup(*this, name)));
}

Result<PatchField> PatchSchema::FindList(std::string_view name) const {
  const wire::Field& field = *BERTH_TRY(Lookup(*this, name));
  PatchField found = ToPatchField(field);
  if (field.shape == wire::Shape::kRepeated || found.schema.go_kind == "slice" || found.schema.is_pointer) return found;
  return Invalid(fmt::format("expected slice or array type, but got: {}", is_pointer ? "ptr" : go_kind));
}

}  // namespace berth::server
