// SPDX-License-Identifier: Apache-2.0
// What is wrong with the part of a kubeconfig that is to be used, in upstream's words.

#pragma once

#include <string>
#include <vector>

#include "client/access/kubeconfig.h"

namespace berth::client {

inline constexpr std::string_view kEmptyConfiguration =
    "no configuration has been provided, try setting KUBERNETES_MASTER environment variable";

std::vector<std::string> CheckUser(const std::string& name, const KubeconfigUser& user);
// An empty cluster is the single error kEmptyConfiguration if nothing else is wrong.
std::vector<std::string> CheckCluster(const std::string& name, const KubeconfigCluster& cluster);

}  // namespace berth::client
