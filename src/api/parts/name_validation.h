// SPDX-License-Identifier: Apache-2.0
// Validation texts of names, as upstream's apimachinery validation gives them: empty when valid.
//
// Qualified names, label values and subdomains are in api/parts/selector.h, which needs them itself.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

std::vector<std::string> ValidateDnsLabel(std::string_view name);      // RFC 1123
std::vector<std::string> ValidateDns1035Label(std::string_view name);  // RFC 1035

}  // namespace berth::api
