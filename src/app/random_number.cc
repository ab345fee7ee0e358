// SPDX-License-Identifier: Apache-2.0
#include "app/random_number.h"

#include <sys/random.h>

#include <cstdlib>

namespace berth::app {

uint64_t RandomNumber() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) std::abort();
  return number;
}

}  // namespace berth::app
