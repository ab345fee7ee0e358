// SPDX-License-Identifier: Apache-2.0
// The wire table: what every message of the Kubernetes API looks like in JSON and protobuf, and how it merges.
//
// The rows are generated from the public API types (docs/wire-table.md), so no codec knows a kind by name. Fields of a
// message stand in the order in which API servers write them as JSON. A field without a number does not exist in
// protobuf: that is the type meta, which travels in an envelope.
//
// Thread: any; the table is constant.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::api::wire {

enum class Type : uint8_t { kString, kBytes, kBool, kInt32, kInt64, kMessage };

// A map has strings as keys; its type is that of the values.
enum class Shape : uint8_t { kSingle, kRepeated, kMap };

// How a message reads in JSON. All but kStruct are written by hand upstream and have no fields here.
enum class Form : uint8_t {
  kStruct,       // An object of its fields.
  kQuantity,     // A string, in protobuf field 1.
  kTime,         // RFC 3339 with seconds or null; in protobuf seconds and nanoseconds since 1970.
  kMicroTime,    // The same with microseconds.
  kIntOrString,  // A number or a string.
  kRaw,          // Any JSON, in protobuf the text of it in field 1.
  kStrings,      // A list of strings, in protobuf field 1.
  kSchema,       // The schema of a custom resource (schema_message.h).
};

// The bits of Field::flags.
enum Flag : uint16_t {
  kPointer = 1 << 0,  // Absent differs from zero.
  kOmitEmpty = 1 << 1,
  kOmitZero = 1 << 2,
  kInline = 1 << 3,  // Its members stand in the enclosing JSON object.
  // Strategic merge patch.
  kPatchMerge = 1 << 4,
  kPatchReplace = 1 << 5,
  kPatchRetainKeys = 1 << 6,
  // Server-side apply. A list that is neither set nor map is atomic anyhow.
  kAtomic = 1 << 7,
  kListSet = 1 << 8,
  kListMap = 1 << 9,
  kOptional = 1 << 10,  // Marked so; one that has kOmitEmpty is optional too, unless it is
  kRequired = 1 << 11,  // marked so.
  kGranular = 1 << 12,  // For server-side apply not atomic, though its message is.
};

struct MergeKeys {
  std::string_view patch;  // The merge key of strategic merge patch.
  std::string_view list;   // The keys of server-side apply, separated by commas.
};

// What Go calls the types of a field, which shows in error messages, where the names do not follow from the rest.
struct GoTypes {
  std::string_view whole;    // Of a list or map, such as v1.ResourceList.
  std::string_view element;  // Of a single value, such as v1.RestartPolicy.
  std::string_view values;   // If it is an enumeration: sorted, separated by commas.
};

struct Field {
  constexpr Field(std::string_view name, uint8_t number_, Type type_, Shape shape_, uint16_t message_, uint16_t flags_,
                  uint8_t merge_keys_, uint16_t go_types_)
      : name_data(name.data()),
        message(message_),
        flags(flags_),
        number(number_),
        name_size(static_cast<uint8_t>(name.size())),
        type(type_),
        shape(shape_),
        merge_keys(merge_keys_),
        go_types(go_types_) {}

  std::string_view name() const { return {name_data, name_size}; }  // Empty for an inline field.
  bool Has(Flag flag) const { return (flags & flag) != 0; }
  const MergeKeys& keys() const;
  const GoTypes& types() const;

  const char* name_data;
  uint16_t message;  // For MessageAt(), if the type is kMessage.
  uint16_t flags;
  uint8_t number;
  uint8_t name_size;
  Type type;
  Shape shape;
  uint8_t merge_keys;
  uint16_t go_types;
};

struct Message {
  std::string_view name;  // As in OpenAPI, such as io.k8s.api.core.v1.Pod.
  Form form;
  bool atomic;  // Server-side apply owns it as a whole.
  uint16_t first_field;
  uint8_t field_count;

  bool is_opaque() const { return form == Form::kRaw || form == Form::kSchema; }  // Any JSON, as far as typed.h knows.
  std::span<const Field> fields() const;
  // The places of the fields by ascending number, as they stand in protobuf.
  std::span<const uint8_t> wire_order() const;
};

struct Kind {
  std::string_view api_version;
  std::string_view kind;
  std::string_view list_kind;  // Empty if there is none.
  std::string_view plural;     // The resource; empty for kinds that are only sent, not kept.
  bool namespaced;
  uint16_t message;
};

const Message& MessageAt(uint16_t index);

// All messages; MessageAt(i) is Messages()[i].
std::span<const Message> Messages();

// Null if there is none. Kinds of meta.k8s.io/v1, such as DeleteOptions, are found under every version.
const Kind* FindKind(std::string_view api_version, std::string_view kind);

// All kinds, by api_version and kind.
std::span<const Kind> Kinds();

// The message of this name; null if there is none. Cost: looks at all of them.
const Message* FindMessage(std::string_view name);

}  // namespace berth::api::wire
