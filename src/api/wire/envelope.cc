// SPDX-License-Identifier: Apache-2.0
#include "api/wire/envelope.h"

#include <protozero/pbf_reader.hpp>

#include "api/wire/message_decoder.h"
#include "api/wire/tree.h"

namespace berth::api::wire {
namespace {

using protozero::pbf_reader;

std::string_view TakeEnvelopeBytes(pbf_reader& reader) {
  if (!reader.has_wire_type(protozero::pbf_wire_type::length_delimited)) {
    throw Malformed("a field of the envelope has the wrong wire type");
  }
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

void ReadTypeMeta(std::string_view bytes, Envelope& envelope) {
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    switch (reader.tag()) {
      case 1: envelope.api_version = TakeEnvelopeBytes(reader); break;
      case 2: envelope.kind = TakeEnvelopeBytes(reader); break;
      default: reader.skip();
    }
  }
}

void ReadEnvelope(std::string_view bytes, Envelope& envelope) {
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    switch (reader.tag()) {
      case 1: ReadTypeMeta(TakeEnvelopeBytes(reader), envelope); break;
      case 2: envelope.message = TakeEnvelopeBytes(reader); break;
      case 3:
      case 4:
        // The encoding and the type of the content.
        if (!TakeEnvelopeBytes(reader).empty()) throw Malformed("the object in the envelope has another encoding");
        break;
      default: reader.skip();
    }
  }
}

}  // namespace

std::string Envelope::Name() const {
  std::string scratch;
  const std::string name = std::string(api_version) + " " + std::string(kind);
  return std::string(AsUtf8(name, scratch));
}

Result<Envelope> OpenEnvelope(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return Invalid("not an object in protobuf form");
  Envelope envelope;
  try {
    ReadEnvelope(bytes.substr(kMagic.size()), envelope);
  } catch (const std::exception& error) {
    return Invalid("protobuf " + envelope.Name() + ": " + error.what());
  }
  return envelope;
}

}  // namespace berth::api::wire
