// SPDX-License-Identifier: Apache-2.0
// Result and Error: how functions that can fail report it.
//
// A function returns Result<T>; the caller handles the error or passes it up with BERTH_TRY. Messages
// are lower case, without a full stop, and name the object they are about.

#pragma once

#include <expected>
#include <string>
#include <utility>

namespace berth {

enum class Code : uint8_t { kInvalid, kNotFound, kConflict, kGone, kUnavailable, kDeadline, kLimit, kInternal };

struct [[nodiscard]] Error {
  Code code = Code::kInternal;
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(Code code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

inline std::unexpected<Error> Invalid(std::string message) { return Fail(Code::kInvalid, std::move(message)); }

}  // namespace berth

// Yields the value of `expr`, or returns its error from the enclosing function.
#define BERTH_TRY(expr)                                     \
  __extension__({                                           \
    auto&& berth_try = (expr);                              \
    if (!berth_try) [[unlikely]] {                          \
      return std::unexpected(std::move(berth_try).error()); \
    }                                                       \
    *std::move(berth_try);                                  \
  })

// The same for Result<void>.
#define BERTH_CHECK_OK(expr)                                \
  do {                                                      \
    auto&& berth_try = (expr);                              \
    if (!berth_try) [[unlikely]] {                          \
      return std::unexpected(std::move(berth_try).error()); \
    }                                                       \
  } while (false)
