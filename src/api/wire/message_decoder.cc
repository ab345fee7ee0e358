// SPDX-License-Identifier: Apache-2.0
#include "api/wire/message_decoder.h"

#include <algorithm>
#include <charconv>
#include <protozero/pbf_reader.hpp>

#include "api/wire/schema_message.h"
#include "api/wire/tree.h"
#include "base/base64.h"

namespace berth::api::wire {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

pbf_reader ReaderOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

std::string_view TakeBytes(pbf_reader& reader) {
  if (!reader.has_wire_type(pbf_wire_type::length_delimited)) throw Malformed("a field has the wrong wire type");
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

uint64_t TakeVarint(pbf_reader& reader) {
  if (!reader.has_wire_type(pbf_wire_type::varint)) throw Malformed("a field has the wrong wire type");
  return reader.get_uint64();
}

bool IsVarint(Type type) { return type == Type::kBool || type == Type::kInt32 || type == Type::kInt64; }

bool IsStrings(const Field& field) {
  return field.type == Type::kMessage && MessageAt(field.message).form == Form::kStrings;
}

// Whether JSON has null for it when it is absent.
bool IsNullable(const Field& field) {
  return field.Has(kPointer) || field.shape != Shape::kSingle || field.type == Type::kBytes || IsStrings(field);
}

// Finds fields by number, fast when they come in ascending order.
class FieldFinder {
 public:
  static constexpr size_t npos = ~size_t{0};

  explicit FieldFinder(const Message& message) : fields_(message.fields()), order_(message.wire_order()) {}

  // The place of the field in the message, or npos.
  size_t Find(uint32_t number) {
    if (at_ == order_.size() || fields_[order_[at_]].number > number) at_ = 0;
    while (at_ < order_.size() && fields_[order_[at_]].number < number) ++at_;
    return at_ < order_.size() && fields_[order_[at_]].number == number ? order_[at_] : npos;
  }

 private:
  std::span<const Field> fields_;
  std::span<const uint8_t> order_;
  size_t at_ = 0;
};

Timestamp ReadTimestamp(std::string_view bytes) {
  if (bytes.empty()) return kZeroTime;
  Timestamp timestamp;
  for (pbf_reader reader = ReaderOf(bytes); reader.next();) {
    switch (reader.tag()) {
      case 1: timestamp.seconds = static_cast<int64_t>(TakeVarint(reader)); break;
      case 2: timestamp.nanos = std::clamp(static_cast<int32_t>(TakeVarint(reader)), 0, 999'999'999); break;
      default: reader.skip();
    }
  }
  return timestamp;
}

// The content of a message that is nothing but field 1.
std::string_view OnlyField(std::string_view bytes) {
  std::string_view content;
  for (pbf_reader reader = ReaderOf(bytes); reader.next(1);) content = TakeBytes(reader);
  return content;
}

}  // namespace

// The parts that take fields from a reader.
struct MessageDecoder::Reading {
  struct Entry {
    std::string_view key;
    Slot value;
  };

  static Slot TakeSlot(Type type, pbf_reader& reader) {
    if (IsVarint(type)) return {{}, TakeVarint(reader), true};
    return {TakeBytes(reader), 0, true};
  }

  static Entry TakeEntry(const Field& field, std::string_view bytes) {
    Entry entry;
    for (pbf_reader reader = ReaderOf(bytes); reader.next();) {
      switch (reader.tag()) {
        case 1: entry.key = TakeBytes(reader); break;
        case 2: entry.value = TakeSlot(field.type, reader); break;
        default: reader.skip();
      }
    }
    return entry;
  }
};

void MessageDecoder::Object(const Kind& kind, std::string_view api_version, std::string_view bytes) {
  slots_.reserve(128);
  Begin(Value::Kind::kMap);
  builder_.Key("kind");
  Text(kind.kind);
  builder_.Key("apiVersion");
  Text(api_version);
  Members(MessageAt(kind.message), bytes);
  builder_.End();
}

void MessageDecoder::Begin(Value::Kind kind) {
  if (builder_.depth() == DocumentBuilder::kDepthMax) throw Malformed("nested too deep");
  builder_.Begin(kind);
}

void MessageDecoder::Text(std::string_view text) { builder_.Scalar(Value::Kind::kString, AsUtf8(text, scratch_)); }

void MessageDecoder::Number(int64_t number) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  builder_.Scalar(Value::Kind::kNumber, {digits, end});
}

// Adds the members of a message to the open map.
void MessageDecoder::Members(const Message& message, std::string_view bytes) {
  const std::span<const Field> fields = message.fields();
  const size_t base = slots_.size();
  slots_.resize(base + fields.size());
  Scan(message, bytes, base);
  for (size_t i = 0; i < fields.size(); ++i) {
    const Slot slot = slots_[base + i];  // A copy: the slots move when inner messages add theirs.
    Member(fields[i], slot);
  }
  slots_.resize(base);
}

void MessageDecoder::Scan(const Message& message, std::string_view bytes, size_t base) {
  const std::span<const Field> fields = message.fields();
  FieldFinder finder(message);
  pbf_reader reader = ReaderOf(bytes);
  for (const char* begin = bytes.data(); reader.next(); begin = reader.data().data()) {
    const size_t place = finder.Find(reader.tag());
    if (place == FieldFinder::npos) {
      reader.skip();
      continue;
    }
    Slot& slot = slots_[base + place];
    if (fields[place].shape == Shape::kSingle) {
      slot = Reading::TakeSlot(fields[place].type, reader);
      continue;
    }
    reader.skip();
    const char* const first = slot.present ? slot.bytes.data() : begin;
    slot = {{first, static_cast<size_t>(reader.data().data() - first)}, 0, true};
  }
}

void MessageDecoder::Member(const Field& field, const Slot& slot) {
  if (field.number == 0) return;
  if (field.Has(kInline)) return Members(MessageAt(field.message), slot.bytes);
  if (IsLeftOut(field, slot) || options_.LeavesOut(field)) return;
  builder_.Key(field.name());
  if (!slot.present && IsNullable(field)) return Null();
  switch (field.shape) {
    case Shape::kSingle: return Single(field, slot);
    case Shape::kRepeated: return List(field, slot.bytes);
    case Shape::kMap: return Map(field, slot.bytes);
  }
}

// What omitempty and omitzero leave out: structs are never empty, but a time may be zero.
bool MessageDecoder::IsLeftOut(const Field& field, const Slot& slot) {
  if (field.Has(kOmitZero) && !field.Has(kPointer) && ReadTimestamp(slot.bytes) == kZeroTime) return true;
  if (!field.Has(kOmitEmpty)) return false;
  if (field.Has(kPointer) || field.shape != Shape::kSingle) return !slot.present;
  if (IsVarint(field.type)) return slot.varint == 0;
  if (field.type == Type::kMessage && !IsStrings(field)) return false;
  return slot.bytes.empty();
}

void MessageDecoder::Single(const Field& field, const Slot& slot) {
  switch (field.type) {
    case Type::kString: return Text(slot.bytes);
    case Type::kBytes: return builder_.Scalar(Value::Kind::kString, EncodeBase64(slot.bytes));
    case Type::kBool: return builder_.Scalar(Value::Kind::kBool, slot.varint != 0 ? "true" : "false");
    case Type::kInt32: return Number(static_cast<int32_t>(slot.varint));
    case Type::kInt64: return Number(static_cast<int64_t>(slot.varint));
    case Type::kMessage: return OfMessage(MessageAt(field.message), slot.bytes);
  }
}

void MessageDecoder::List(const Field& field, std::string_view bytes) {
  Begin(Value::Kind::kList);
  for (pbf_reader reader = ReaderOf(bytes); reader.next(field.number);) {
    if (IsVarint(field.type) && reader.has_wire_type(pbf_wire_type::length_delimited)) {
      for (const uint64_t number : reader.get_packed_uint64()) Single(field, {{}, number, true});
    } else {
      Single(field, Reading::TakeSlot(field.type, reader));
    }
  }
  builder_.End();
}

// Entries stand in the order of their keys, as in JSON; of equal keys the last counts.
void MessageDecoder::Map(const Field& field, std::string_view bytes) {
  std::vector<Reading::Entry> entries;
  for (pbf_reader reader = ReaderOf(bytes); reader.next(field.number);) {
    entries.push_back(Reading::TakeEntry(field, TakeBytes(reader)));
  }
  // Upstream writes them sorted, and sorting allocates.
  if (!std::ranges::is_sorted(entries, {}, &Reading::Entry::key)) {
    std::ranges::stable_sort(entries, {}, &Reading::Entry::key);
  }
  Begin(Value::Kind::kMap);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i + 1 < entries.size() && entries[i + 1].key == entries[i].key) continue;
    builder_.Key(AsUtf8(entries[i].key, scratch_));
    Single(field, entries[i].value);
  }
  builder_.End();
}

void MessageDecoder::OfMessage(const Message& message, std::string_view bytes) {
  switch (message.form) {
    case Form::kStruct:
      Begin(Value::Kind::kMap);
      Members(message, bytes);
      return builder_.End();
    case Form::kQuantity: return Text(bytes.empty() ? "0" : OnlyField(bytes));
    case Form::kTime: return OfTime(ReadTimestamp(bytes), false);
    case Form::kMicroTime: return OfTime(ReadTimestamp(bytes), true);
    case Form::kIntOrString: return IntOrString(bytes);
    case Form::kRaw: return Raw(OnlyField(bytes));
    case Form::kStrings: return Strings(bytes);
    case Form::kSchema: return ReadSchema(bytes, builder_);
  }
}

// A time that JSON cannot say is as good as none.
void MessageDecoder::OfTime(Timestamp timestamp, bool micros) {
  if (!micros) timestamp.nanos = 0;
  const std::string text = timestamp == kZeroTime ? std::string() : FormatTimestamp(timestamp, micros);
  if (text.empty()) return Null();
  builder_.Scalar(Value::Kind::kString, text);
}

void MessageDecoder::IntOrString(std::string_view bytes) {
  bool is_string = false;
  int32_t number = 0;
  std::string_view text;
  for (pbf_reader reader = ReaderOf(bytes); reader.next();) {
    switch (reader.tag()) {
      case 1: is_string = TakeVarint(reader) == 1; break;
      case 2: number = static_cast<int32_t>(TakeVarint(reader)); break;
      case 3: text = TakeBytes(reader); break;
      default: reader.skip();
    }
  }
  if (is_string) return Text(text);
  Number(number);
}

void MessageDecoder::Raw(std::string_view json) {
  if (json.empty()) return Null();
  const Result<Document> document = ParseJson(json);
  if (!document) throw Malformed("an embedded object is not JSON: " + document.error().message);
  if (!Copy(document->root(), builder_)) throw Malformed("nested too deep");
}

void MessageDecoder::Strings(std::string_view bytes) {
  Begin(Value::Kind::kList);
  for (pbf_reader reader = ReaderOf(bytes); reader.next(1);) Text(TakeBytes(reader));
  builder_.End();
}

}  // namespace berth::api::wire
