// SPDX-License-Identifier: Apache-2.0
// Everything by which somebody may say who they are: lines of a file of tokens, names as certificates have them, and
// the headers of impersonation.
#include <string>

#include "base/text.h"
#include "server/access/impersonation.h"
#include "server/access/token_file.h"

extern const char* const kFuzzSeeds[] = {"t1,ann,1\r\nt2,\"bob \"\"b\"\"\",2,\"g1,g2\"\n",
                                         "\"a\nb\",c,d,",
                                         "Impersonate-User: system:node:n\nImpersonate-Uid: 1",
                                         "impersonate-extra-acme.com%2Fa: b\nImpersonate-Group: g",
                                         "system:serviceaccount:ns:name",
                                         nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth::server;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto file = TokenFile::Parse(text)) static_cast<void>(file->Find(text));
  static_cast<void>(AccountOf(text));
  std::vector<berth::net::Header> headers;
  for (std::string_view rest = text; !rest.empty() && headers.size() < 50;) {
    std::string_view line = berth::TakeUntil(rest, '\n');
    const std::string_view name = berth::TakeUntil(line, ':');
    headers.push_back({std::string(name), std::string(berth::Trim(line))});
  }
  Impersonation impersonation;
  const User requestor{.name = std::string(text.substr(0, 40)), .uid = {}, .groups = {std::string(text)}, .extra = {}};
  for (const bool is_allowed : {false, true}) {
    const auto authorize = [&](const User& user, const Attributes& wish) {
      static_cast<void>(NotAuthorized(user, wish, user.name));
      return Decision{.is_allowed = is_allowed, .reason = {}};
    };
    static_cast<void>(impersonation.Check(requestor, headers, {.verb = "get"}, authorize));
  }
  return 0;
}
