// SPDX-License-Identifier: Apache-2.0
// What the options say of who may do what: files are read and secrets are made.

#pragma once

#include "app/up/options.h"
#include "base/result.h"

namespace berth::up {

// Sets `access`, `client_ca_pem` and, where it matters who asks and none is given, `token`, so that there is an
// administrator, whom the kubeconfig names.
Result<void> ReadAccess(Options& options);

}  // namespace berth::up
