// SPDX-License-Identifier: Apache-2.0
#include "api/wire/schema_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <protozero/pbf_reader.hpp>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/wire/message_decoder.h"
#include "api/wire/tree.h"

namespace berth::api::wire {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

enum class SchemaPart : uint8_t {
  kText,
  kFlag,
  kInteger,
  kReal,
  kJson,
  kTexts,
  kJsons,
  kRules,  // Messages of kRuleFields.
  kDocs,   // A message of kDocFields.
  kSchema,
  kSchemas,
  kSchemaMap,
  kSchemaOrFlag,
  kSchemaOrList,
  kSchemaOrTextsMap,
};

struct PartField {
  uint8_t number;
  std::string_view name;
  SchemaPart part;
  bool is_optional = true;  // Otherwise zero counts as absent, and is written as zero.
};

constexpr PartField kSchemaFields[] = {
    {1, "id", SchemaPart::kText, false},
    {2, "$schema", SchemaPart::kText, false},
    {3, "$ref", SchemaPart::kText},
    {4, "description", SchemaPart::kText, false},
    {5, "type", SchemaPart::kText, false},
    {6, "format", SchemaPart::kText, false},
    {7, "title", SchemaPart::kText, false},
    {8, "default", SchemaPart::kJson},
    {9, "maximum", SchemaPart::kReal},
    {10, "exclusiveMaximum", SchemaPart::kFlag, false},
    {11, "minimum", SchemaPart::kReal},
    {12, "exclusiveMinimum", SchemaPart::kFlag, false},
    {13, "maxLength", SchemaPart::kInteger},
    {14, "minLength", SchemaPart::kInteger},
    {15, "pattern", SchemaPart::kText, false},
    {16, "maxItems", SchemaPart::kInteger},
    {17, "minItems", SchemaPart::kInteger},
    {18, "uniqueItems", SchemaPart::kFlag, false},
    {19, "multipleOf", SchemaPart::kReal},
    {20, "enum", SchemaPart::kJsons},
    {21, "maxProperties", SchemaPart::kInteger},
    {22, "minProperties", SchemaPart::kInteger},
    {23, "required", SchemaPart::kTexts},
    {24, "items", SchemaPart::kSchemaOrList},
    {25, "allOf", SchemaPart::kSchemas},
    {26, "oneOf", SchemaPart::kSchemas},
    {27, "anyOf", SchemaPart::kSchemas},
    {28, "not", SchemaPart::kSchema},
    {29, "properties", SchemaPart::kSchemaMap},
    {30, "additionalProperties", SchemaPart::kSchemaOrFlag},
    {31, "patternProperties", SchemaPart::kSchemaMap},
    {32, "dependencies", SchemaPart::kSchemaOrTextsMap},
    {33, "additionalItems", SchemaPart::kSchemaOrFlag},
    {34, "definitions", SchemaPart::kSchemaMap},
    {35, "externalDocs", SchemaPart::kDocs},
    {36, "example", SchemaPart::kJson},
    {37, "nullable", SchemaPart::kFlag, false},
    {38, "x-kubernetes-preserve-unknown-fields", SchemaPart::kFlag},
    {39, "x-kubernetes-embedded-resource", SchemaPart::kFlag, false},
    {40, "x-kubernetes-int-or-string", SchemaPart::kFlag, false},
    {41, "x-kubernetes-list-map-keys", SchemaPart::kTexts},
    {42, "x-kubernetes-list-type", SchemaPart::kText},
    {43, "x-kubernetes-map-type", SchemaPart::kText},
    {44, "x-kubernetes-validations", SchemaPart::kRules},
};
constexpr size_t kNumberMax = 44;

constexpr PartField kRuleFields[] = {
    {1, "rule", SchemaPart::kText, false},
    {2, "message", SchemaPart::kText, false},
    {3, "messageExpression", SchemaPart::kText, false},
    {4, "reason", SchemaPart::kText},
    {5, "fieldPath", SchemaPart::kText, false},
    {6, "optionalOldSelf", SchemaPart::kFlag},
};
constexpr PartField kDocFields[] = {{1, "description", SchemaPart::kText, false}, {2, "url", SchemaPart::kText, false}};

using PartFields = std::span<const PartField>;

bool IsRepeated(SchemaPart part) {
  return part == SchemaPart::kTexts || part == SchemaPart::kJsons || part == SchemaPart::kRules ||
         part == SchemaPart::kSchemas || part == SchemaPart::kSchemaMap || part == SchemaPart::kSchemaOrTextsMap;
}

// What a message holds under one number.
struct Found {
  uint64_t number = 0;  // A varint, or the bits of a real.
  std::string_view bytes;
};
using AllFound = std::array<std::vector<Found>, kNumberMax + 1>;

AllFound ScanMessage(std::string_view bytes) {
  AllFound all;
  for (pbf_reader reader(bytes.data(), bytes.size()); reader.next();) {
    const uint32_t number = reader.tag();
    if (number > kNumberMax) {
      reader.skip();
      continue;
    }
    Found found;
    if (reader.has_wire_type(pbf_wire_type::varint)) {
      found.number = reader.get_uint64();
    } else if (reader.has_wire_type(pbf_wire_type::fixed64)) {
      found.number = reader.get_fixed64();
    } else if (reader.has_wire_type(pbf_wire_type::length_delimited)) {
      const protozero::data_view view = reader.get_view();
      found.bytes = {view.data(), view.size()};
    } else {
      throw Malformed("a field has the wrong wire type");
    }
    all[number].push_back(found);
  }
  return all;
}

// Of several the last counts; nothing: none.
Found LastOf(const std::vector<Found>& found) { return found.empty() ? Found() : found.back(); }

class SchemaReader {
 public:
  explicit SchemaReader(DocumentBuilder& builder) : builder_(builder) {}

  void Message(PartFields fields, std::string_view bytes) {
    const AllFound all = ScanMessage(bytes);
    Begin(Value::Kind::kMap);
    for (const PartField& field : fields) {
      const std::vector<Found>& found = all[field.number];
      if (found.empty()) continue;
      const Found& last = found.back();
      const bool is_zero = last.number == 0 && last.bytes.empty();
      if (!field.is_optional && is_zero && field.name != "rule") continue;
      builder_.Key(field.name);
      if (IsRepeated(field.part)) {
        List(field.part, found);
      } else {
        One(field.part, last);
      }
    }
    builder_.End();
  }

 private:
  void Begin(Value::Kind kind) {
    if (builder_.depth() == DocumentBuilder::kDepthMax) throw Malformed("nested too deep");
    builder_.Begin(kind);
  }
  void Text(std::string_view text) { builder_.Scalar(Value::Kind::kString, AsUtf8(text, scratch_)); }
  void Flag(bool flag) { builder_.Scalar(Value::Kind::kBool, flag ? "true" : "false"); }

  void Real(double number) {
    if (!std::isfinite(number)) throw Malformed("a number is not finite");
    const bool is_whole = number == std::floor(number) && std::abs(number) < 1e21;
    builder_.Scalar(Value::Kind::kNumber, is_whole ? fmt::format("{:.0f}", number) : fmt::format("{}", number));
  }

  void Embedded(std::string_view bytes) {
    const std::string_view text = LastOf(ScanMessage(bytes)[1]).bytes;
    if (text.empty()) return builder_.Scalar(Value::Kind::kNull, {});
    const Result<Document> document = ParseJson(text);
    if (!document) throw Malformed("a part of a schema is not JSON: " + document.error().message);
    if (!Copy(document->root(), builder_)) throw Malformed("nested too deep");
  }

  void One(SchemaPart part, const Found& found) {
    switch (part) {
      case SchemaPart::kText: return Text(found.bytes);
      case SchemaPart::kFlag: return Flag(found.number != 0);
      case SchemaPart::kInteger:
        return builder_.Scalar(Value::Kind::kNumber, std::to_string(static_cast<int64_t>(found.number)));
      case SchemaPart::kReal: return Real(std::bit_cast<double>(found.number));
      case SchemaPart::kJson: return Embedded(found.bytes);
      case SchemaPart::kDocs: return Message(kDocFields, found.bytes);
      case SchemaPart::kSchemaOrFlag: return SchemaOrFlag(found.bytes);
      case SchemaPart::kSchemaOrList: return SchemaOrList(found.bytes);
      default: return Message(kSchemaFields, found.bytes);
    }
  }

  void SchemaOrFlag(std::string_view bytes) {
    const AllFound all = ScanMessage(bytes);
    if (all[2].empty()) return Flag(LastOf(all[1]).number != 0);
    Message(kSchemaFields, all[2].back().bytes);
  }

  void SchemaOrList(std::string_view bytes) {
    const AllFound all = ScanMessage(bytes);
    if (!all[2].empty()) return List(SchemaPart::kSchemas, all[2]);
    if (all[1].empty()) return builder_.Scalar(Value::Kind::kNull, {});
    Message(kSchemaFields, all[1].back().bytes);
  }

  void SchemaOrTexts(std::string_view bytes) {
    const AllFound all = ScanMessage(bytes);
    if (!all[2].empty()) return List(SchemaPart::kTexts, all[2]);
    if (all[1].empty()) return builder_.Scalar(Value::Kind::kNull, {});
    Message(kSchemaFields, all[1].back().bytes);
  }

  void List(SchemaPart part, const std::vector<Found>& found) {
    if (part == SchemaPart::kSchemaMap || part == SchemaPart::kSchemaOrTextsMap) return Map(part, found);
    Begin(Value::Kind::kList);
    for (const Found& each : found) {
      if (part == SchemaPart::kTexts) {
        Text(each.bytes);
      } else if (part == SchemaPart::kJsons) {
        Embedded(each.bytes);
      } else {
        Message(part == SchemaPart::kRules ? PartFields(kRuleFields) : PartFields(kSchemaFields), each.bytes);
      }
    }
    builder_.End();
  }

  // In the order of keys; of equal ones the last counts.
  void Map(SchemaPart part, const std::vector<Found>& found) {
    std::vector<std::pair<std::string_view, std::string_view>> entries;
    for (const Found& each : found) {
      const AllFound all = ScanMessage(each.bytes);
      entries.emplace_back(LastOf(all[1]).bytes, LastOf(all[2]).bytes);
    }
    std::ranges::stable_sort(entries, {}, [](const auto& entry) { return entry.first; });
    Begin(Value::Kind::kMap);
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i + 1 < entries.size() && entries[i + 1].first == entries[i].first) continue;
      builder_.Key(AsUtf8(entries[i].first, scratch_));
      if (part == SchemaPart::kSchemaMap) {
        Message(kSchemaFields, entries[i].second);
      } else {
        SchemaOrTexts(entries[i].second);
      }
    }
    builder_.End();
  }

  DocumentBuilder& builder_;
  std::string scratch_;
};

double RealOf(Value value) {
  double number = 0;
  const std::string_view text = value.text();
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// From the last field to the first.
class SchemaWriter {
 public:
  explicit SchemaWriter(BackwardWriter& out) : out_(out) {}

  void Message(PartFields fields, Value map) {
    for (const PartField& field : fields | std::views::reverse) {
      const Value value = map[field.name];
      if (value.is_null() && field.is_optional) continue;
      if (IsRepeated(field.part)) {
        List(field, value);
      } else {
        One(field.part, field.number, value);
      }
    }
  }

 private:
  void Nested(uint32_t number, PartFields fields, Value value) {
    const size_t before = out_.size();
    Message(fields, value);
    out_.Close(number, before);
  }

  void Embedded(uint32_t number, Value value) {
    const size_t before = out_.size();
    out_.BytesField(1, value.ToJson());
    out_.Close(number, before);
  }

  void One(SchemaPart part, uint32_t number, Value value) {
    switch (part) {
      case SchemaPart::kText: return out_.BytesField(number, value.text());
      case SchemaPart::kFlag: return out_.VarintField(number, value.AsBool().value_or(false) ? 1 : 0);
      case SchemaPart::kInteger: return out_.VarintField(number, static_cast<uint64_t>(value.AsInt().value_or(0)));
      case SchemaPart::kReal: return out_.Fixed64Field(number, std::bit_cast<uint64_t>(RealOf(value)));
      case SchemaPart::kJson: return Embedded(number, value);
      case SchemaPart::kDocs: return Nested(number, kDocFields, value);
      case SchemaPart::kSchemaOrFlag: return SchemaOrFlag(number, value);
      case SchemaPart::kSchemaOrList: return SchemaOrList(number, value);
      default: return Nested(number, kSchemaFields, value);
    }
  }

  void SchemaOrFlag(uint32_t number, Value value) {
    const size_t before = out_.size();
    if (value.is_map()) Nested(2, kSchemaFields, value);
    out_.VarintField(1, value.is_map() || value.AsBool().value_or(false) ? 1 : 0);
    out_.Close(number, before);
  }

  void SchemaOrList(uint32_t number, Value value) {
    const size_t before = out_.size();
    if (value.is_map()) Nested(1, kSchemaFields, value);
    for (size_t i = value.is_list() ? value.size() : 0; i > 0; --i) Nested(2, kSchemaFields, value[i - 1]);
    out_.Close(number, before);
  }

  void List(const PartField& field, Value value) {
    if (field.part == SchemaPart::kSchemaMap || field.part == SchemaPart::kSchemaOrTextsMap) return Map(field, value);
    for (size_t i = value.is_list() ? value.size() : 0; i > 0; --i) {
      if (field.part == SchemaPart::kTexts) {
        out_.BytesField(field.number, value[i - 1].text());
      } else if (field.part == SchemaPart::kJsons) {
        Embedded(field.number, value[i - 1]);
      } else {
        Nested(field.number, field.part == SchemaPart::kRules ? PartFields(kRuleFields) : PartFields(kSchemaFields),
               value[i - 1]);
      }
    }
  }

  void Map(const PartField& field, Value map) {
    std::vector<std::pair<std::string_view, Value>> entries;
    for (size_t i = 0; map.is_map() && i < map.size(); ++i) entries.emplace_back(map.key(i), map[i]);
    std::ranges::stable_sort(entries, {}, [](const auto& entry) { return entry.first; });
    for (const auto& [key, value] : entries | std::views::reverse) {
      const size_t before = out_.size();
      const bool is_texts = field.part == SchemaPart::kSchemaOrTextsMap;
      if (is_texts) {
        const size_t inside = out_.size();
        for (size_t i = value.is_list() ? value.size() : 0; i > 0; --i) out_.BytesField(2, value[i - 1].text());
        if (value.is_map()) Nested(1, kSchemaFields, value);
        out_.Close(2, inside);
      } else {
        Nested(2, kSchemaFields, value);
      }
      out_.BytesField(1, key);
      out_.Close(field.number, before);
    }
  }

  BackwardWriter& out_;
};

}  // namespace

void ReadSchema(std::string_view bytes, DocumentBuilder& builder) {
  SchemaReader(builder).Message(kSchemaFields, bytes);
}

void WriteSchema(Value schema, BackwardWriter& out) { SchemaWriter(out).Message(kSchemaFields, schema); }

}  // namespace berth::api::wire
