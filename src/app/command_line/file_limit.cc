// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/file_limit.h"

#include <sys/resource.h>

namespace berth::app {

size_t RaiseFileLimit() {
  rlimit limit{};
  constexpr size_t kLeastUsual = 1024;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kLeastUsual;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

}  // namespace berth::app
