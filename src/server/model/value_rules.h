// SPDX-License-Identifier: Apache-2.0
// What is wrong with a single value: names, ports, addresses and the like, in upstream's words.
//
// Each function returns one text per broken rule, nothing for a valid value. For qualified names, label values and DNS
// subdomains see api/parts/selector.h.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::server {

using Problems = std::vector<std::string>;

Problems CheckDnsLabel(std::string_view value);
// One that begins with a letter.
Problems CheckDns1035Label(std::string_view value);
Problems CheckDnsSubdomainWithUnderscore(std::string_view value);
Problems CheckPortName(std::string_view value);
Problems CheckPortNumber(int64_t value);
Problems CheckEnvironmentName(std::string_view value);
Problems CheckConfigKey(std::string_view value);
Problems CheckHeaderName(std::string_view value);
Problems CheckPercent(std::string_view value);
Problems CheckIp(std::string_view value);
// Of users and groups.
Problems CheckUnixId(int64_t value);

// A problem in the words of rules that upstream declares: they count bytes where others say characters.
std::string InBytes(std::string problem);

// `must be between 1 and 5, inclusive`.
std::string RangeText(int64_t low, int64_t high);

// The family of a valid address, 4 or 6; 0 for others.
int IpFamily(std::string_view value);

}  // namespace berth::server
