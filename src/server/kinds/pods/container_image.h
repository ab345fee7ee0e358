// SPDX-License-Identifier: Apache-2.0
// Names of container images: registry.example.com:5000/team/app:v1@sha256:...

#pragma once

#include <string_view>

namespace berth::server {

// The pull policy of an image for which none is given: Always if its tag is latest, or if a valid name has neither tag
// nor digest; else IfNotPresent.
std::string_view DefaultPullPolicy(std::string_view image);

}  // namespace berth::server
