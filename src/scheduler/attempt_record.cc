// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempt_record.h"

#include <algorithm>

#include "base/hash.h"

namespace berth::scheduler {
namespace {

constexpr size_t kWordBits = 32;

uint64_t HashOf(const RecordedRejection& rejection) {
  uint64_t hash = rejection.nodes.Hash() + (rejection.plugin ? rejection.plugin->index + 1U : 0U);
  for (const std::string& reason : rejection.reasons) hash = HashBytes(reason, hash);
  return MixHash(hash + static_cast<uint64_t>(rejection.code));
}

size_t BytesOf(const RecordedRejection& rejection) {
  size_t bytes = sizeof(rejection) + rejection.nodes.bytes();
  for (const std::string& reason : rejection.reasons) bytes += sizeof(reason) + reason.size();
  return bytes;
}

}  // namespace

NodeSet::NodeSet(std::span<const NodeSlot> slots, size_t slot_limit) : size_(static_cast<uint32_t>(slots.size())) {
  is_bits_ = slots.size() * kWordBits > slot_limit;
  if (is_bits_) {
    words_.resize((slot_limit + kWordBits - 1) / kWordBits);
    for (const NodeSlot slot : slots) words_[slot.index / kWordBits] |= uint32_t{1} << slot.index % kWordBits;
  } else {
    for (const NodeSlot slot : slots) words_.push_back(slot.index);
  }
}

NodeSet::NodeSet(const cluster::NodeBits& nodes, size_t count, size_t slot_limit)
    : size_(static_cast<uint32_t>(count)) {
  is_bits_ = count * kWordBits > slot_limit;
  if (is_bits_) {
    words_.assign(nodes.words().begin(), nodes.words().end());
    words_.resize((slot_limit + kWordBits - 1) / kWordBits);
  } else {
    nodes.ForEach([&](NodeSlot slot) { words_.push_back(slot.index); });
  }
}

bool NodeSet::Contains(NodeSlot slot) const {
  if (!is_bits_) return std::ranges::find(words_, slot.index) != words_.end();
  const size_t word = slot.index / kWordBits;
  return word < words_.size() && (words_[word] >> slot.index % kWordBits & 1) != 0;
}

uint64_t NodeSet::Hash() const {
  uint64_t hash = size_;
  for (const uint32_t word : words_) hash = MixHash(hash ^ word);
  return hash;
}

uint64_t RecordedVerdicts::Hash() const {
  uint64_t hash = absent ? HashOf(*absent) : 0;
  for (const RecordedRejection& rejection : rejections) hash = MixHash(hash ^ HashOf(rejection));
  return hash;
}

size_t RecordedVerdicts::bytes() const {
  size_t bytes = sizeof(*this) + (absent ? BytesOf(*absent) : 0);
  for (const RecordedRejection& rejection : rejections) bytes += BytesOf(rejection);
  return bytes;
}

}  // namespace berth::scheduler
