// SPDX-License-Identifier: Apache-2.0
#include "cel/arena.h"

#include <algorithm>
#include <cstring>

namespace berth::cel {

void CancelForCost() { throw Cancelled{"operation cancelled: actual cost limit exceeded"}; }

Arena::~Arena() {
  for (auto it = cleanups_.rbegin(); it != cleanups_.rend(); ++it) it->destroy(it->object);
}

void* Arena::AllocateChunk(size_t bytes) {
  Count(bytes);
  constexpr size_t kChunk = 16 * 1024;
  // Something large gets a chunk of its own; what is left of the present one stays in use.
  if (bytes > kChunk / 2) return chunks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes)).get();
  memory_ = chunks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(kChunk)).get();
  size_ = kChunk;
  used_ = bytes;
  return memory_;
}

std::string_view Arena::Text(std::string_view text) {
  const std::span<char> copy = Array<char>(text.size());
  std::copy(text.begin(), text.end(), copy.begin());
  return {copy.data(), copy.size()};
}

}  // namespace berth::cel
