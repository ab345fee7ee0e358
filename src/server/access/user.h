// SPDX-License-Identifier: Apache-2.0
// User: who makes a request.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool IsIn(std::string_view group) const;
  // Unless it is there.
  void AddGroup(std::string_view group);
};

inline constexpr std::string_view kMastersGroup = "system:masters";  // May do everything.
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kAnonymousName = "system:anonymous";
// Of the Secret or other credential that a user showed, in `extra`.
inline constexpr std::string_view kCredentialId = "authentication.kubernetes.io/credential-id";

User Administrator();
User Anonymous();

struct AccountName {
  std::string ns;
  std::string name;
};
// The service account that a user name stands for; nothing if it is no account's.
std::optional<AccountName> AccountOf(std::string_view user_name);
std::string UserNameOf(const AccountName& account);
// The groups of all accounts and of those of its namespace.
std::vector<std::string> AccountGroups(std::string_view ns);

// As UserInfo of the API.
Json UserInfo(const User& user);
Json TextList(const std::vector<std::string>& texts);

}  // namespace berth::server
