// SPDX-License-Identifier: Apache-2.0
// CertificateNames: whom a server's certificate is for.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::net {

// The host names and IP addresses for which the first certificate of a PEM text is valid, as it lists them: a name may
// begin with "*.". The common name does not count, as no client looks at it any more.
Result<std::vector<std::string>> CertificateNames(std::string_view pem);

}  // namespace berth::net
