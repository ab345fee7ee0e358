// SPDX-License-Identifier: Apache-2.0
// The storage class of claims and volumes, and the one of claims that name none.

#pragma once

#include <string>
#include <string_view>

#include "server/store/store.h"

namespace berth::server {

// On a class: it is the default one.
inline constexpr std::string_view kDefaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";
// On a claim or volume: its class, as it was said before there was a field for it.
inline constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

// The driver of volumes that are provisioned, whatever their class calls it.
inline constexpr std::string_view kSimulatedDriver = "simulated.berth.dev";

// Whether the claim says its class, even if that is "none".
bool NamesClass(const Json& claim);
// The class of a claim or volume; "" if it has none. Lives as long as the object.
const std::string& ClassOf(const Json& object);

// The default class that was made last; "" if there is none.
std::string DefaultStorageClass(const Store& store, const Catalog& catalog);

}  // namespace berth::server
