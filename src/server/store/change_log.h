// SPDX-License-Identifier: Apache-2.0
// ChangeLog: where a store writes its changes down, so that they outlive the process.

#pragma once

#include "server/store/change.h"

namespace berth::server {

class ChangeLog {
 public:
  virtual ~ChangeLog() = default;

  // Called for every change, in the order of their revisions, before anybody hears of it.
  virtual void Append(const Change& change) = 0;
};

}  // namespace berth::server
