// SPDX-License-Identifier: Apache-2.0
// What kubectl explain says of kinds and their fields, in Berth's own words.
//
// There is a text for every kind and for the fields that matter to scheduling. Cost: a lookup in a map.

#pragma once

#include <string>
#include <string_view>

namespace berth::server {

// What a message is; `field`: what a field of it means. "" if there is nothing to say. The message is named as in the
// wire table: io.k8s.api.core.v1.Pod.
std::string DescribeMessage(std::string_view message);
std::string_view DescribeField(std::string_view message, std::string_view field);

}  // namespace berth::server
