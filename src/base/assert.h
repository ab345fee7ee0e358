// SPDX-License-Identifier: Apache-2.0
// Assertions: programmer errors stop the process with file, line and condition.
//
// BERTH_ASSERT stays on in every build. BERTH_DASSERT is for checks that cost more than the code they
// guard; it is on in debug and sanitizer builds (BERTH_CHECKS). Input from outside is never asserted.

#pragma once

namespace berth {

[[noreturn]] void AssertionFailed(const char* condition, const char* file, int line);

}  // namespace berth

#define BERTH_ASSERT(condition) \
  (static_cast<bool>(condition) ? void(0) : ::berth::AssertionFailed(#condition, __FILE__, __LINE__))

#ifdef BERTH_CHECKS
#define BERTH_DASSERT(condition) BERTH_ASSERT(condition)
#else
#define BERTH_DASSERT(condition) void(0)
#endif
