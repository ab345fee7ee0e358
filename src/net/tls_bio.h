// SPDX-License-Identifier: Apache-2.0
// The way OpenSSL reaches a socket of this module: like its own, but a peer that went raises no SIGPIPE.

#pragma once

#include "net/tls.h"

namespace berth::net {

// The descriptor stays the caller's.
void AttachSocket(SSL* connection, int descriptor);

// Whether all that had come by the last read is used up, so that the next one would wait.
bool IsDrained(SSL* connection);

}  // namespace berth::net
