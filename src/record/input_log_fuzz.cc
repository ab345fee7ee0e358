// SPDX-License-Identifier: Apache-2.0
// The reader of input logs accepts any bytes. Checksums would stop nearly every changed log, so entries and settings
// are also decoded from the bytes as they are; what decodes is written and read again.

#include <cstdint>
#include <sstream>
#include <string>

#include "base/assert.h"
#include "record/fields.h"
#include "record/input_log.h"

namespace berth::record {
namespace {

void ReadLog(const std::string& bytes) {
  std::istringstream in(bytes);
  Result<Reader> reader = Reader::Open(in);
  if (!reader) return;
  for (Result<std::optional<Entry>> entry = reader->Next(); entry && *entry; entry = reader->Next()) {
  }
}

void ReadInput(const std::string& bytes) {
  scheduler::Input input;
  Decoder decoder(bytes);
  decoder(input);
  if (!decoder.ok()) return;

  Encoder encoder;
  encoder(input);
  const std::string written = encoder.Take();
  scheduler::Input again;
  Decoder second(written);
  second(again);
  second.Finish();
  BERTH_ASSERT(second.ok());
  encoder(again);
  BERTH_ASSERT(encoder.Take() == written);
}

}  // namespace
}  // namespace berth::record

extern const char* const kFuzzSeeds[] = {
    "BERTHLOG\1", "\2\3", "\2\1\3Pod\7default\3web\1", "\2\2\5\1\4gone", nullptr,
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  berth::record::ReadLog(bytes);
  berth::record::ReadInput(bytes);
  (void)berth::record::DecodeSettings(bytes, berth::plugins::BuiltIn());
  return 0;
}
