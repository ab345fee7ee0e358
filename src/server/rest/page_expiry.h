// SPDX-License-Identifier: Apache-2.0
// PageExpiry: for how long the pages of a list are pages of one state.
//
// Five minutes, and one more at most, from when the first page was asked for, even if the history reaches further back:
// upstream's does not, and clients that take longer are told to go on with the state as it is.
//
// Thread: that of the store.

#pragma once

#include <deque>

#include "base/time.h"
#include "server/store/stored_object.h"

namespace berth::server {

class PageExpiry {
 public:
  // To be told of every list, and of the revision that the store has then.
  void Note(Time now, Revision revision);
  // Whether a page of this state is too late.
  bool IsExpired(Revision revision) const { return revision < oldest_; }

 private:
  struct Mark {
    Time at;
    Revision revision;
  };
  std::deque<Mark> marks_;  // Of the last five minutes, a minute apart.
  Revision oldest_ = 0;
};

}  // namespace berth::server
