// SPDX-License-Identifier: Apache-2.0
// Any bytes in any pieces: a watch stream gives the same frames as if they came at once, and no frame crashes the
// decoder.
//
// The first byte chooses the encoding and the size of the pieces.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/wire/watch_stream.h"
#include "base/assert.h"

namespace {

namespace wire = berth::api::wire;

constexpr size_t kFrameMax = 1000;

// The frames, and at the end "error" if the stream was refused.
std::vector<std::string> Frames(wire::Encoding encoding, std::string_view bytes, size_t piece) {
  wire::WatchStream stream(encoding, kFrameMax);
  std::vector<std::string> frames;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    stream.Feed(bytes.substr(0, piece));
    while (true) {
      const auto frame = stream.Next();
      if (!frame) {
        frames.emplace_back("error");
        return frames;
      }
      if (!*frame) break;
      BERTH_ASSERT((*frame)->size() <= kFrameMax);
      frames.emplace_back(**frame);
    }
  }
  return frames;
}

const wire::Kind& kPod = *wire::FindKind("v1", "Pod");

void Read(wire::Encoding encoding, std::string_view frame) {
  const auto event = wire::CutWatchFrame(encoding, frame);
  if (!event) return;
  (void)wire::ReadObject(event->object, kPod);
  (void)wire::ReadMetadata(event->object, kPod);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto encoding = data[0] % 2 == 0 ? wire::Encoding::kJson : wire::Encoding::kProtobuf;
  const std::vector<std::string> frames = Frames(encoding, bytes, bytes.size());
  BERTH_ASSERT(frames == Frames(encoding, bytes, 1 + data[0] / 2));
  for (const std::string& frame : frames) Read(encoding, frame);
  Read(wire::Encoding::kProtobuf, bytes);
  for (const auto list : {wire::Encoding::kJson, wire::Encoding::kProtobuf}) (void)wire::CutList(list, bytes, kPod);
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "0{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"\\\"}{\"}}}\n"
    "{\"type\":\"BOOKMARK\",\"object\":{}}{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n",
    "6{}\n{}\r\n{\"a\":{\"b\":[{}]}}",
    "1\x01\x01\x01\x01\x0a\x05"
    "ADDED\x12\x06\x0a\x04k8s",
    "\n\x0a\x05"
    "ADDED\x12\x06\x0a\x04k8s",
    "0{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"spec\":{\"x\":[[]]}},{}]}",
    nullptr,
};
