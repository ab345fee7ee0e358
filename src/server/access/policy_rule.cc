// SPDX-License-Identifier: Apache-2.0
#include "server/access/policy_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "api/document/field_error.h"
#include "base/text.h"

namespace berth::server {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kEverything = "*";
// Comparisons of texts, in one look for what is missing.
constexpr size_t kComparisonsMax = 20'000'000;
constexpr size_t kCostOfMissing = 1000;  // It is remembered and told.

Texts ReadTexts(const Json& list) {
  Texts texts;
  for (const Json& item : list.items()) texts.push_back(item.text());
  return texts;
}

bool Has(const Texts& texts, std::string_view text) { return std::ranges::find(texts, text) != texts.end(); }
bool HasOrAll(const Texts& texts, std::string_view text) {
  return std::ranges::any_of(texts, [&](const std::string& each) { return each == kEverything || each == text; });
}

// Whether a pattern of paths takes in a path, or another pattern.
bool CoversUrl(std::string_view pattern, std::string_view url) {
  if (pattern == url) return true;
  return pattern.ends_with('*') && url.starts_with(pattern.substr(0, pattern.find_last_not_of('*') + 1));
}

// `resource` may have a subresource behind a slash.
bool CoversResource(const Texts& resources, std::string_view resource) {
  if (HasOrAll(resources, resource)) return true;
  const size_t slash = resource.find('/');
  return slash != std::string_view::npos && Has(resources, "*" + std::string(resource.substr(slash)));
}

// One verb on one resource, or on one path: either way all that is needed to compare it with a rule.
struct Atom {
  std::string_view verb;
  std::string_view group;
  std::string_view resource;
  std::optional<std::string_view> name;
  std::optional<std::string_view> url;
};

bool Covers(const PolicyRule& rule, const Atom& atom) {
  if (!HasOrAll(rule.verbs, atom.verb)) return false;
  if (atom.url)
    return std::ranges::any_of(rule.urls, [&](const std::string& own) { return CoversUrl(own, *atom.url); });
  return HasOrAll(rule.groups, atom.group) && CoversResource(rule.resources, atom.resource) &&
         (rule.names.empty() || (atom.name && Has(rule.names, *atom.name)));
}

std::string QuoteAll(const std::vector<std::string_view>& texts) {
  std::string quoted;
  for (const std::string_view text : texts) quoted += (quoted.empty() ? "" : " ") + api::GoQuote(text);
  return "[" + quoted + "]";
}

// Missing verbs, by what they are missing for.
class Shortage {
 public:
  void Add(const Atom& atom) {
    if (atom.url) {
      lines_.insert(fmt::format("{{NonResourceURLs:{}, Verbs:{}}}", QuoteAll({*atom.url}), QuoteAll({atom.verb})));
    } else {
      verbs_[{atom.group, atom.resource, atom.name}].push_back(atom.verb);
    }
  }

  std::string Text() && {
    for (const auto& [of, verbs] : verbs_) {
      const auto& [group, resource, name] = of;
      const std::string names = name ? fmt::format(", ResourceNames:{}", QuoteAll({*name})) : "";
      lines_.insert(fmt::format("{{APIGroups:{}, Resources:{}{}, Verbs:{}}}", QuoteAll({group}), QuoteAll({resource}),
                                names, QuoteAll(verbs)));
    }
    return fmt::format("{}", fmt::join(lines_, "\n"));
  }

 private:
  using Of = std::tuple<std::string_view, std::string_view, std::optional<std::string_view>>;
  std::map<Of, std::vector<std::string_view>> verbs_;
  std::set<std::string> lines_;
};

// Calls `visit` for each combination, until it returns false.
template <class Visit>
bool VisitAtoms(const PolicyRule& rule, Visit visit) {
  for (const std::string& group : rule.groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        Atom atom{.verb = verb, .group = group, .resource = resource, .name = {}, .url = {}};
        if (rule.names.empty() && !visit(atom)) return false;
        for (const std::string& name : rule.names) {
          atom.name = name;
          if (!visit(atom)) return false;
        }
      }
    }
  }
  for (const std::string& url : rule.urls) {
    for (const std::string& verb : rule.verbs) {
      if (!visit(Atom{.verb = verb, .group = {}, .resource = {}, .name = {}, .url = url})) return false;
    }
  }
  return true;
}

size_t SizeOf(const PolicyRule& rule) {
  return 1 + rule.verbs.size() + rule.groups.size() + rule.resources.size() + rule.names.size() + rule.urls.size();
}

}  // namespace

PolicyRules ReadRules(const Json& role) {
  PolicyRules rules;
  for (const Json& rule : role["rules"].items()) {
    rules.push_back({.verbs = ReadTexts(rule["verbs"]),
                     .groups = ReadTexts(rule["apiGroups"]),
                     .resources = ReadTexts(rule["resources"]),
                     .names = ReadTexts(rule["resourceNames"]),
                     .urls = ReadTexts(rule["nonResourceURLs"])});
  }
  return rules;
}

bool Allows(const PolicyRule& rule, const Attributes& attributes) {
  if (!HasOrAll(rule.verbs, attributes.verb)) return false;
  if (!attributes.is_resource) {
    return std::ranges::any_of(rule.urls, [&](const std::string& url) { return CoversUrl(url, attributes.path); });
  }
  if (!HasOrAll(rule.groups, attributes.group)) return false;
  if (!rule.names.empty() && !Has(rule.names, attributes.name)) return false;
  const std::string of_any = "*/" + attributes.subresource;
  return HasOrAll(rule.resources, attributes.FullResource()) ||
         (!attributes.subresource.empty() && Has(rule.resources, of_any));
}

std::optional<std::string> Missing(const PolicyRules& held, const PolicyRules& asked) {
  Shortage shortage;
  size_t steps = 0;
  for (const PolicyRule& rule : asked) {
    const bool has_ended = VisitAtoms(rule, [&](const Atom& atom) {
      const auto covers = [&](const PolicyRule& own) {
        steps += SizeOf(own);
        return Covers(own, atom);
      };
      if (++steps > kComparisonsMax) return false;
      if (std::ranges::any_of(held, covers)) return true;
      steps += kCostOfMissing;
      shortage.Add(atom);
      return true;
    });
    if (!has_ended) return std::nullopt;
  }
  return std::move(shortage).Text();
}

}  // namespace berth::server
