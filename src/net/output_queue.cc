// SPDX-License-Identifier: Apache-2.0
#include "net/output_queue.h"

#include <algorithm>
#include <utility>

namespace berth::net {
namespace {

constexpr size_t kSmall = 1024;  // Pieces up to this size are joined, because each costs more than its bytes.

}  // namespace

void OutputQueue::Add(std::string bytes) {
  size_ += bytes.size();
  if (!pieces_.empty() && !pieces_.back().shared && pieces_.back().own.size() + bytes.size() <= kSmall) {
    pieces_.back().own += bytes;
    return;
  }
  pieces_.emplace_back(std::move(bytes), nullptr);
}

void OutputQueue::Add(std::shared_ptr<const std::string> bytes) {
  size_ += bytes->size();
  pieces_.emplace_back(std::string(), std::move(bytes));
}

size_t OutputQueue::Gather(std::span<iovec> parts) const {
  const size_t count = std::min(parts.size(), pieces_.size());
  for (size_t i = 0; i < count; ++i) {
    const std::string_view view = i == 0 ? FirstView() : pieces_[i].view();
    parts[i] = {.iov_base = const_cast<char*>(view.data()), .iov_len = view.size()};  // Only read from.
  }
  return count;
}

std::string_view OutputQueue::Front(std::span<char> scratch) const {
  const std::string_view first = FirstView();
  if (first.size() >= scratch.size() || pieces_.size() == 1) return first.substr(0, scratch.size());
  size_t used = first.copy(scratch.data(), first.size());
  for (size_t i = 1; i < pieces_.size() && used < scratch.size(); ++i) {
    used += pieces_[i].view().copy(scratch.data() + used, scratch.size() - used);
  }
  return {scratch.data(), used};
}

void OutputQueue::Consume(size_t bytes) {
  size_ -= bytes;
  offset_ += bytes;
  while (!pieces_.empty() && offset_ >= pieces_.front().view().size()) {
    offset_ -= pieces_.front().view().size();
    pieces_.pop_front();
  }
}

void OutputQueue::Clear() {
  pieces_.clear();
  offset_ = 0;
  size_ = 0;
}

}  // namespace berth::net
