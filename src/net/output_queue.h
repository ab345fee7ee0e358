// SPDX-License-Identifier: Apache-2.0
// OutputQueue: the bytes that a socket still has to write, in pieces that it owns or shares with other sockets.

#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace berth::net {

class OutputQueue {
 public:
  void Add(std::string bytes);                         // Not empty.
  void Add(std::shared_ptr<const std::string> bytes);  // Not empty.

  // Fills `parts` with the first bytes and returns how many parts that makes.
  size_t Gather(std::span<iovec> parts) const;
  // The first bytes in one piece, at most as many as `scratch` holds; a copy there unless they are in one piece
  // already.
  std::string_view Front(std::span<char> scratch) const;
  void Consume(size_t bytes);
  void Clear();

  bool is_empty() const { return pieces_.empty(); }
  size_t size() const { return size_; }

 private:
  struct Piece {
    std::string own;
    std::shared_ptr<const std::string> shared;
    std::string_view view() const { return shared ? *shared : own; }
  };
  std::string_view FirstView() const { return pieces_.front().view().substr(offset_); }

  std::deque<Piece> pieces_;
  size_t offset_ = 0;  // Into the first piece.
  size_t size_ = 0;
};

}  // namespace berth::net
