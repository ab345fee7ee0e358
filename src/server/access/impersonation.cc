// SPDX-License-Identifier: Apache-2.0
#include "server/access/impersonation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "api/document/field_error.h"
#include "api/parts/selector.h"
#include "base/ascii.h"
#include "base/text.h"

namespace berth::server {
namespace {

using api::GoQuote;

constexpr std::string_view kExtraPrefix = "Impersonate-Extra-";
constexpr std::string_view kNodePrefix = "system:node:";
constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";
constexpr size_t kUsersMax = 10'000;
// From so many values on it is first asked whether all are allowed.
constexpr size_t kManyValues = 4;

bool StartsWithIgnoringCase(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && EqualsIgnoringCase(text.substr(0, prefix.size()), prefix);
}

// What is malformed stays as it is.
std::string Unescape(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (text.size() - i < 3 || !IsHexDigit(text[i + 1]) || !IsHexDigit(text[i + 2])) return text;
    plain += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
    i += 2;
  }
  return plain;
}

std::string GoTexts(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(GoQuote(text));
  return fmt::format("[]string{{{}}}", fmt::join(quoted, ", "));
}

// As Go prints the structure in which upstream keeps it.
std::string GoText(const User& user) {
  std::vector<std::string> extra;
  for (const auto& [key, values] : user.extra) extra.push_back(GoQuote(key) + ":" + GoTexts(values));
  return fmt::format("&user.DefaultInfo{{Name:{}, UID:{}, Groups:{}, Extra:map[string][]string{}}}", GoQuote(user.name),
                     GoQuote(user.uid), user.groups.empty() ? "[]string(nil)" : GoTexts(user.groups),
                     extra.empty() ? "(nil)" : fmt::format("{{{}}}", fmt::join(extra, ", ")));
}

// Who is asked for, as the headers have it; nothing: nobody.
Outcome<std::optional<User>> ReadWanted(const std::vector<net::Header>& headers) {
  User wanted;
  bool has_any = false;
  for (const net::Header& header : headers) {
    if (!StartsWithIgnoringCase(header.name, "Impersonate-")) continue;
    if (EqualsIgnoringCase(header.name, "Impersonate-User")) {
      if (wanted.name.empty()) wanted.name = header.value;
    } else if (EqualsIgnoringCase(header.name, "Impersonate-Uid")) {
      if (wanted.uid.empty()) wanted.uid = header.value;
      has_any |= !header.value.empty();
    } else if (EqualsIgnoringCase(header.name, "Impersonate-Group")) {
      wanted.groups.push_back(header.value);
      has_any = true;
    } else if (StartsWithIgnoringCase(header.name, kExtraPrefix)) {
      wanted.extra[Unescape(Lower(header.name.substr(kExtraPrefix.size())))].push_back(header.value);
      has_any = true;
    }
  }
  if (!wanted.name.empty()) return wanted;
  if (has_any) return BadRequest(fmt::format("requested {} without impersonating a user name", GoText(wanted)));
  return std::nullopt;
}

std::optional<std::string> NodeOf(std::string_view user_name) {
  if (!user_name.starts_with(kNodePrefix)) return std::nullopt;
  const std::string_view name = user_name.substr(kNodePrefix.size());
  if (!api::ValidateDnsSubdomain(name).empty()) return std::nullopt;
  return std::string(name);
}

bool HasNameOnly(const User& user) { return user.uid.empty() && user.groups.empty() && user.extra.empty(); }

// A service account on the node that it wants to be.
bool IsOnNode(const User& requestor, const User& wanted) {
  const std::optional<std::string> node = NodeOf(wanted.name);
  if (!node || !AccountOf(requestor.name)) return false;
  const auto named = requestor.extra.find("authentication.kubernetes.io/node-name");
  return named != requestor.extra.end() && named->second == std::vector<std::string>{*node};
}

// Why a key or value of `extra` is not taken; empty: it is.
std::string WhyBadExtra(const std::string& key, const std::vector<std::string>& values) {
  if (key.empty()) return "impersonating the empty string key in extra is not allowed";
  const std::string_view invalid = "impersonating an invalid key in extra is not allowed: ";
  const auto bad = [&](std::string_view value, std::string_view why) {
    return std::string(invalid) + api::InvalidField("extra.key", value, why);
  };
  const size_t slash = key.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == key.size()) {
    return bad(key, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  for (const std::string& why : api::ValidateDnsSubdomain(key.substr(0, slash))) return bad(key.substr(0, slash), why);
  constexpr std::string_view kOfPaths = "/-._~%!$&'()*+,;=:";
  const std::string path = key.substr(slash + 1);
  if (!std::ranges::all_of(path, [&](char c) { return IsAlphanumeric(c) || kOfPaths.contains(c); })) {
    return bad(path, R"(Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+'))");
  }
  if (std::ranges::find(values, "") != values.end()) {
    return "impersonating the empty string value in extra is not allowed";
  }
  return {};
}

enum class Mode : uint8_t { kAssociatedNode, kArbitraryNode, kAccount, kUserInfo, kPlain };
constexpr std::array<std::string_view, 4> kModeNames = {"associated-node", "arbitrary-node", "serviceaccount",
                                                        "user-info"};
constexpr size_t kModes = kModeNames.size() + 1;

// One attempt to be let in.
class ImpersonationAttempt {
 public:
  ImpersonationAttempt(Mode mode, const User& requestor, const User& wanted, const Impersonation::Authorize& authorize)
      : mode_(mode), is_plain_(mode == Mode::kPlain), requestor_(requestor), wanted_(wanted), authorize_(authorize) {
    if (!is_plain_) verb_ = fmt::format("impersonate:{}", kModeNames[static_cast<size_t>(mode)]);
  }

  bool Applies() const {
    switch (mode_) {
      case Mode::kAssociatedNode: return HasNameOnly(wanted_) && IsOnNode(requestor_, wanted_);
      case Mode::kArbitraryNode: return HasNameOnly(wanted_) && NodeOf(wanted_.name).has_value();
      case Mode::kAccount: return HasNameOnly(wanted_) && AccountOf(wanted_.name).has_value();
      case Mode::kUserInfo: return !NodeOf(wanted_.name) && !AccountOf(wanted_.name);
      case Mode::kPlain: return true;
    }
    return false;
  }

  Outcome<User> Check(const Attributes& attributes) const {
    if (!is_plain_) {
      Attributes act = attributes;
      act.verb = fmt::format("impersonate-on:{}:{}", kModeNames[static_cast<size_t>(mode_)], attributes.verb);
      BERTH_CHECK_OK(Ask(act));
    }
    User actual = wanted_;
    BERTH_CHECK_OK(CheckName(actual));
    if (!wanted_.uid.empty()) BERTH_CHECK_OK(Ask(About(kAuthenticationGroup, "uids", wanted_.uid)));
    BERTH_CHECK_OK(CheckGroups());
    BERTH_CHECK_OK(CheckExtra());
    if (actual.name == kAnonymousName) {
      actual.AddGroup(kUnauthenticatedGroup);
    } else if (!actual.IsIn(kUnauthenticatedGroup)) {
      actual.AddGroup(kAuthenticatedGroup);
    }
    return actual;
  }

 private:
  Outcome<void> Ask(const Attributes& attributes) const {
    const Decision decision = authorize_(requestor_, attributes);
    if (decision.is_allowed) return {};
    return NotAuthorized(requestor_, attributes, decision.reason);
  }

  Attributes About(std::string_view group, std::string_view resource, std::string_view name) const {
    return {.is_resource = true,
            .verb = verb_,
            .group = std::string(group),
            .resource = std::string(resource),
            .name = std::string(name)};
  }
  std::string_view group_of_names() const { return is_plain_ ? std::string_view() : kAuthenticationGroup; }

  Outcome<void> CheckName(User& actual) const {
    Attributes named = About(group_of_names(), "users", wanted_.name);
    if (const auto node = NodeOf(wanted_.name); node && !is_plain_) {
      named.resource = "nodes";
      named.name = mode_ == Mode::kAssociatedNode ? "*" : *node;
      actual.groups = {"system:nodes"};
    }
    if (const auto account = AccountOf(wanted_.name)) {
      named.resource = "serviceaccounts";
      named.ns = account->ns;
      named.name = account->name;
      if (wanted_.groups.empty()) actual.groups = AccountGroups(account->ns);
    }
    return Ask(named);
  }

  Outcome<void> CheckGroups() const {
    const std::vector<std::string>& groups = wanted_.groups;
    Attributes named = About(group_of_names(), "groups", "");
    if (!is_plain_ && std::ranges::find(groups, "") != groups.end()) {
      return NotAuthorized(requestor_, named, "impersonating the empty string group is not allowed");
    }
    if (!is_plain_ && wanted_.IsIn(kMastersGroup)) {
      named.name = kMastersGroup;
      return NotAuthorized(requestor_, named, "impersonating the system:masters group is not allowed");
    }
    if (!is_plain_ && groups.size() >= kManyValues && Ask(About(group_of_names(), "groups", "*"))) return {};
    for (const std::string& group : groups) {
      named.name = group;
      BERTH_CHECK_OK(Ask(named));
    }
    return {};
  }

  Outcome<void> CheckExtra() const {
    Attributes named = About(kAuthenticationGroup, "userextras", "");
    size_t count = 0;
    for (const auto& [key, values] : wanted_.extra) {
      count += values.size();
      if (const std::string why = is_plain_ ? "" : WhyBadExtra(key, values); !why.empty()) {
        return NotAuthorized(requestor_, named, why);
      }
    }
    if (!is_plain_ && count >= kManyValues) {
      named.subresource = named.name = "*";
      if (Ask(named)) return {};
    }
    for (const auto& [key, values] : wanted_.extra) {
      named.subresource = key;
      for (const std::string& value : values) {
        named.name = value;
        BERTH_CHECK_OK(Ask(named));
      }
    }
    return {};
  }

  const Mode mode_;
  const bool is_plain_;
  std::string verb_ = "impersonate";
  const User& requestor_;
  const User& wanted_;
  const Impersonation::Authorize& authorize_;
};

}  // namespace

Outcome<User> Impersonation::Check(const User& requestor, const std::vector<net::Header>& headers,
                                   const Attributes& attributes, const Authorize& authorize) {
  const std::optional<User> wanted = BERTH_TRY(ReadWanted(headers));
  if (!wanted) return requestor;
  const auto known = last_modes_.find(requestor.name);
  std::vector<size_t> order(kModes);
  std::iota(order.begin(), order.end(), size_t{0});
  if (known != last_modes_.end()) {
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(known->second),
                order.begin() + static_cast<std::ptrdiff_t>(known->second) + 1);
  }
  std::optional<StatusError> first;
  for (const size_t mode : order) {
    const ImpersonationAttempt attempt(static_cast<Mode>(mode), requestor, *wanted, authorize);
    if (!attempt.Applies()) continue;
    Outcome<User> actual = attempt.Check(attributes);
    if (!actual) {
      if (!first) first = std::move(actual.error());
      continue;
    }
    if (last_modes_.size() >= kUsersMax) last_modes_.clear();
    last_modes_[requestor.name] = mode;
    return actual;
  }
  return std::unexpected(*std::move(first));  // The last mode always applies.
}

}  // namespace berth::server
