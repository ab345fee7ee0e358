// SPDX-License-Identifier: Apache-2.0
#include "net/certificate_names.h"

#include <gtest/gtest.h>

#include "net/self_signed.h"

namespace berth::net {
namespace {

using Names = std::vector<std::string>;

Names NamesOf(std::vector<std::string> given) {
  CertificateOptions options;
  options.common_name = "common";
  options.names = std::move(given);
  const Result<KeyPair> made = MakeCertificate(options, Time{1'700'000'000'000'000'000});
  return CertificateNames(made.value().certificate_pem).value();
}

TEST(CertificateNames, AreTheListedOnesAndNotTheCommonName) {
  const Names given{"berth.example.org", "*.apps.example.org", "192.0.2.7", "2001:db8::7"};

  EXPECT_EQ(NamesOf(given), given);
  EXPECT_EQ(NamesOf({}), Names());
}

TEST(CertificateNames, OfWhatIsNoCertificateAreAnError) {
  EXPECT_FALSE(CertificateNames("").has_value());
  EXPECT_FALSE(CertificateNames("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").has_value());
}

}  // namespace
}  // namespace berth::net
