// SPDX-License-Identifier: Apache-2.0
// The user that a front proxy speaks for, by the headers it adds.

#pragma once

#include <optional>
#include <vector>

#include "app/scheduler/serving/authentication_config.h"
#include "app/scheduler/serving/user.h"
#include "base/result.h"
#include "net/tls.h"
#include "net/transport.h"

namespace berth::scheduler_app {

// Nothing if there are no proxies or the headers name nobody; an error if the certificate is not that of a proxy.
Result<std::optional<User>> UserOfProxy(const FrontProxy& proxy, const net::PeerCertificate& certificate,
                                        const std::vector<net::Header>& headers);

}  // namespace berth::scheduler_app
