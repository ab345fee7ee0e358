// SPDX-License-Identifier: Apache-2.0
// What `berth node` does, each from its options to its end. What was done is printed, a line for each node.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace berth::node {

struct Options {
  std::string kubeconfig;
  std::vector<std::string> names;  // All of them exist, or nothing is done. Unless nodes are added.

  uint32_t count = 0;                  // add: so many
  std::string like;                    // add: like this one; "": like those that `berth up` makes.
  std::string cpu;                     // resize: "" leaves it as it is, here and below.
  std::string memory;                  //
  std::string pods;                    //
  std::vector<std::string> resources;  // resize: NAME=AMOUNT.
  bool is_heard_of = false;            // fail: the kubelet says that it is not ready.
};

Result<void> Add(const Options& options);
Result<void> Remove(const Options& options);
Result<void> Resize(const Options& options);
Result<void> MakeFail(const Options& options);
Result<void> Heal(const Options& options);

}  // namespace berth::node
