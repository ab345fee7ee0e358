// SPDX-License-Identifier: Apache-2.0
#include "app/up/access_files.h"

#include <fmt/format.h>

#include <utility>

#include "app/command_line/random_number.h"
#include "net/tls.h"
#include "runtime/files.h"

namespace berth::up {
namespace {

// 256 bits that nobody can guess, in hexadecimal digits.
std::string RandomSecret() {
  std::string secret;
  for (int i = 0; i < 4; ++i) secret += fmt::format("{:016x}", app::RandomNumber());
  return secret;
}

Result<server::TokenFile> ReadTokens(const std::string& file) {
  const std::string text = BERTH_TRY(runtime::ReadFile(file));
  Result<server::TokenFile> tokens = server::TokenFile::Parse(text);
  if (!tokens) return Fail(tokens.error().code, file + ": " + tokens.error().message);
  return tokens;
}

}  // namespace

Result<void> ReadAccess(Options& options) {
  server::AccessOptions access;
  if (!options.token_auth_file.empty()) access.users = BERTH_TRY(ReadTokens(options.token_auth_file));
  if (!options.client_ca_file.empty()) {
    options.client_ca_pem = BERTH_TRY(runtime::ReadFile(options.client_ca_file));
    const Result<void> checked = net::CheckCertificates(options.client_ca_pem);
    if (!checked) return Fail(checked.error().code, options.client_ca_file + ": " + checked.error().message);
    access.knows_certificates = true;
  }
  access.asks_roles = options.authorization == kRbac;
  access.account_key = RandomSecret();
  if (options.token.empty() && access.asks_who()) options.token = RandomSecret();
  access.token = server::BearerToken(options.token);
  options.access = std::move(access);
  return {};
}

}  // namespace berth::up
