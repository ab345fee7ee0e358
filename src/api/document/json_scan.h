// SPDX-License-Identifier: Apache-2.0
// Finds places in JSON text without parsing it.
//
// Only brackets and strings are looked at; whether the text between them is valid is for a parser to say.

#pragma once

#include <optional>
#include <string_view>

namespace berth::api {

// The first position from `at` on that holds no JSON space.
size_t SkipJsonSpace(std::string_view text, size_t at);

// Where the value that begins at `at` ends. Nothing if the text ends before it does.
std::optional<size_t> EndOfJsonValue(std::string_view text, size_t at);

// Where the value of a member of the object that begins at `at` begins. Nothing if it has no such member.
std::optional<size_t> FindJsonMember(std::string_view text, size_t at, std::string_view name);

// The value of a member of the object that the text is. Empty if it has no such member, or the text ends before the
// value does.
std::string_view JsonMember(std::string_view text, std::string_view name);

}  // namespace berth::api
