// SPDX-License-Identifier: Apache-2.0
// MessageDecoder: builds the tree of a protobuf message by the wire table.
//
// It throws: Malformed, or what the protobuf reader throws; both are a std::exception. The functions of protobuf.h are
// the border behind which there are only errors.

#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "api/document/document_builder.h"
#include "api/wire/read_options.h"
#include "api/wire/table.h"
#include "api/wire/timestamp.h"

namespace berth::api::wire {

struct Malformed : std::exception {
  explicit Malformed(std::string reason_) : reason(std::move(reason_)) {}
  const char* what() const noexcept override { return reason.c_str(); }
  std::string reason;
};

class MessageDecoder {
 public:
  MessageDecoder(DocumentBuilder& builder, const ReadOptions& options) : builder_(builder), options_(options) {}

  // Adds an object of the kind.
  void Object(const Kind& kind, std::string_view api_version, std::string_view bytes);
  // Adds what a message is in JSON.
  void OfMessage(const Message& message, std::string_view bytes);

 private:
  // What a message holds for one field. Repeated fields and maps: the stretch from the first to behind the last of
  // them.
  struct Slot {
    std::string_view bytes;
    uint64_t varint = 0;
    bool present = false;
  };
  struct Reading;

  void Members(const Message& message, std::string_view bytes);
  void Scan(const Message& message, std::string_view bytes, size_t base);
  void Member(const Field& field, const Slot& slot);
  static bool IsLeftOut(const Field& field, const Slot& slot);
  void Single(const Field& field, const Slot& slot);
  void List(const Field& field, std::string_view bytes);
  void Map(const Field& field, std::string_view bytes);
  void OfTime(Timestamp timestamp, bool micros);
  void IntOrString(std::string_view bytes);
  void Raw(std::string_view json);
  void Strings(std::string_view bytes);

  void Begin(Value::Kind kind);
  void Null() { builder_.Scalar(Value::Kind::kNull, {}); }
  void Text(std::string_view text);
  void Number(int64_t number);

  DocumentBuilder& builder_;
  const ReadOptions& options_;
  std::vector<Slot> slots_;  // Of the messages that are being read, outermost first.
  std::string scratch_;
};

}  // namespace berth::api::wire
