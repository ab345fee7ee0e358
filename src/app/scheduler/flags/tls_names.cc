// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/document/field_error.h"
#include "app/scheduler/flags/validate.h"

namespace berth::scheduler_app {
namespace {

// Those that upstream's TLS library has, the insecure ones too: a name is not an error because it is old.
constexpr std::string_view kCipherSuites[] = {
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA",
    "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_RC4_128_SHA",
    "TLS_RSA_WITH_3DES_EDE_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_RSA_WITH_RC4_128_SHA",
};

// P-256, P-384, P-521, X25519, and the three hybrids with ML-KEM.
constexpr int32_t kCurves[] = {23, 24, 25, 29, 4587, 4588, 4589};

constexpr std::string_view kVersions[] = {"", "VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"};

Result<void> CheckCurves(const std::vector<int32_t>& curves) {
  constexpr int32_t kCurveMax = 65535;
  std::set<int32_t> seen;
  for (const int32_t curve : curves) {
    if (curve <= 0 || curve > kCurveMax) {
      return Invalid(fmt::format("curve preference {} is out of range (must be 1-{})", curve, kCurveMax));
    }
    if (!seen.insert(curve).second) return Invalid(fmt::format("duplicate curve preference {}", curve));
    if (std::ranges::find(kCurves, curve) == std::end(kCurves)) {
      return Invalid(fmt::format("curve preference {} is not supported by the current Go version", curve));
    }
  }
  return {};
}

}  // namespace

Result<void> ValidateTls(const ServingOptions& serving) {
  for (const std::string& suite : serving.cipher_suites) {
    if (std::ranges::find(kCipherSuites, suite) == std::end(kCipherSuites)) {
      return Invalid(fmt::format("Cipher suite {} not supported or doesn't exist", suite));
    }
  }
  BERTH_CHECK_OK(CheckCurves(serving.curve_preferences));
  if (std::ranges::find(kVersions, serving.min_tls_version) == std::end(kVersions)) {
    return Invalid(fmt::format("unknown tls version {}", api::GoQuote(serving.min_tls_version)));
  }
  return {};
}

}  // namespace berth::scheduler_app
