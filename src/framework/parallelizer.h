// SPDX-License-Identifier: Apache-2.0
// Parallelizer: runs the pieces of a loop side by side.
//
// The core has no threads of its own; whoever drives it may lend it some. Pieces write their results by their index, so
// that nothing depends on how many threads there are.

#pragma once

#include <cstddef>
#include <functional>

namespace berth::framework {

class Parallelizer {
 public:
  // Does one piece. False: those behind it are not needed.
  using Body = std::function<bool(size_t piece)>;

  virtual ~Parallelizer() = default;

  // Runs pieces 0 to `pieces` - 1 and returns when all that were begun have ended. The pieces before one that returns
  // false are run in any case, those behind it perhaps. If any of the former throw, what the first of them threw is
  // thrown on at the end.
  virtual void Until(size_t pieces, const Body& body) = 0;
};

}  // namespace berth::framework
