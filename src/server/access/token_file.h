// SPDX-License-Identifier: Apache-2.0
// TokenFile: users and their tokens as kube-apiserver's --token-auth-file has them: lines of
// `token,user,uid,"group1,group2"`, the groups being optional.
//
// Tokens are not kept, but their digests, by which they are found: the time that it takes tells nothing of them.
//
// Thread: any.

#pragma once

#include <array>
#include <map>
#include <string_view>

#include "base/result.h"
#include "server/access/user.h"

namespace berth::server {

class TokenFile {
 public:
  // Errors name the line and never a token.
  static Result<TokenFile> Parse(std::string_view csv);

  bool empty() const { return users_.empty(); }
  // Null if nobody has it.
  const User* Find(std::string_view token) const;

 private:
  std::map<std::array<unsigned char, 32>, User> users_;
};

}  // namespace berth::server
