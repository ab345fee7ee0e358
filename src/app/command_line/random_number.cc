// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/random_number.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace berth::app {

uint64_t RandomNumber() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) {
    throw std::system_error(errno, std::generic_category(), "no random numbers are to be had");
  }
  return number;
}

}  // namespace berth::app
