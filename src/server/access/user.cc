// SPDX-License-Identifier: Apache-2.0
#include "server/access/user.h"

#include <algorithm>

#include "api/parts/name_validation.h"
#include "api/parts/selector.h"
#include "base/text.h"

namespace berth::server {
namespace {

constexpr std::string_view kAccountPrefix = "system:serviceaccount:";
constexpr std::string_view kAccountsGroup = "system:serviceaccounts";

}  // namespace

bool User::IsIn(std::string_view group) const { return std::ranges::find(groups, group) != groups.end(); }

void User::AddGroup(std::string_view group) {
  if (!IsIn(group)) groups.emplace_back(group);
}

User Administrator() {
  return {.name = "system:admin",
          .uid = {},
          .groups = {std::string(kMastersGroup), std::string(kAuthenticatedGroup)},
          .extra = {}};
}

User Anonymous() {
  return {.name = std::string(kAnonymousName), .uid = {}, .groups = {std::string(kUnauthenticatedGroup)}, .extra = {}};
}

std::optional<AccountName> AccountOf(std::string_view user_name) {
  if (!user_name.starts_with(kAccountPrefix)) return std::nullopt;
  const std::vector<std::string_view> parts = Split(user_name.substr(kAccountPrefix.size()), ':');
  if (parts.size() != 2 || !api::ValidateDnsLabel(parts[0]).empty() || !api::ValidateDnsSubdomain(parts[1]).empty()) {
    return std::nullopt;
  }
  return AccountName{.ns = std::string(parts[0]), .name = std::string(parts[1])};
}

std::string UserNameOf(const AccountName& account) {
  return std::string(kAccountPrefix) + account.ns + ":" + account.name;
}

std::vector<std::string> AccountGroups(std::string_view ns) {
  return {std::string(kAccountsGroup), std::string(kAccountsGroup) + ":" + std::string(ns)};
}

Json TextList(const std::vector<std::string>& texts) {
  Json list = Json::MakeList();
  for (const std::string& text : texts) list.Append(Json::String(text));
  return list;
}

Json UserInfo(const User& user) {
  Json info{{"username", Json::String(user.name)}};
  if (!user.uid.empty()) info.Set("uid", user.uid);
  if (!user.groups.empty()) info.Set("groups", TextList(user.groups));
  for (const auto& [key, values] : user.extra) info.Make("extra").Set(key, TextList(values));
  return info;
}

}  // namespace berth::server
