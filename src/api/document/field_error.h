// SPDX-License-Identifier: Apache-2.0
// Field errors: the texts with which Kubernetes reports an invalid field, such as
// `spec.weight: Invalid value: "x": must be a number`.
//
// Users and their tools know these texts, so values are quoted exactly as upstream quotes them: strings by the rules of
// Go's %q, everything else as the JSON that Go writes.

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

// `path: Invalid value: "value": detail`.
std::string InvalidField(std::string_view path, std::string_view value, std::string_view detail);
// `path: Invalid value: ["a","b"]: detail`. No values are written `null`.
std::string InvalidField(std::string_view path, const std::vector<std::string>& values, std::string_view detail);
// `path: Unsupported value: "value": supported values: "a", "b"`.
std::string UnsupportedField(std::string_view path, std::string_view value,
                             std::initializer_list<std::string_view> supported);

// `path.name`, or the name alone under an empty path.
std::string ChildPath(std::string_view path, std::string_view name);

// A string in double quotes as Go's %q writes it. Code points that no Unicode version assigns count as printable.
std::string GoQuote(std::string_view text);

}  // namespace berth::api
