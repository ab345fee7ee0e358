// SPDX-License-Identifier: Apache-2.0
#include "server/access/bootstrap_policy.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "server/access/policy_rule.h"

namespace berth::server {
namespace {

constexpr std::string_view kBootstrapPolicy =
#include "server/access/bootstrap_policy.inc"
    ;

std::vector<std::string_view> PolicyWords(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : Split(Trim(text), ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

Json PolicyList(std::string_view text) {
  Json list = Json::MakeList();
  for (const std::string_view word : PolicyWords(text)) list.Append(Json::String(word == "\"\"" ? "" : word));
  return list;
}

// `[NAMESPACE/]NAME`.
std::pair<std::string_view, std::string_view> SplitPlace(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {{}, text};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

// One object, as its lines come in.
class PolicyObject {
 public:
  PolicyObject(std::string_view kind, std::string_view place) {
    const auto [ns, name] = SplitPlace(place);
    plural_ = std::string(ns.empty() ? "cluster" : "") + std::string(kind) + "s";
    Json& metadata = object_.Make("metadata");
    metadata.Set("name", name);
    if (!ns.empty()) metadata.Set("namespace", ns);
    metadata.Make("labels").Set("kubernetes.io/bootstrapping", "rbac-defaults");
    metadata.Make("annotations").Set("rbac.authorization.kubernetes.io/autoupdate", "true");
  }

  void AddLabel(std::string_view label) {
    const std::string_view key = TakeUntil(label, '=');
    object_.Make({"metadata", "labels"}).Set(key, label);
  }
  void SetRole(std::string_view kind, std::string_view name) {
    object_.Set(
        "roleRef",
        Json{{"apiGroup", Json::String(kRbacGroup)}, {"kind", Json::String(kind)}, {"name", Json::String(name)}});
  }
  void AddAggregation(std::string_view label) {
    const std::string_view key = TakeUntil(label, '=');
    object_.Make({"aggregationRule", "clusterRoleSelectors"})
        .Append(Json{{"matchLabels", Json::MakeMap({{key, Json::String(label)}})}});
  }
  void AddRule(std::string_view line) {
    Json rule = Json::MakeMap();
    for (const std::string_view name : {"verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"}) {
      Json list = PolicyList(TakeUntil(line, '|'));
      if (!list.empty()) rule.Set(name, std::move(list));
    }
    object_.Make("rules").Append(std::move(rule));
  }
  void AddSubject(std::string_view kind, std::string_view place) {
    Json subject{{"kind", Json::String(kind)}};
    if (kind == "ServiceAccount") {
      const auto [ns, name] = SplitPlace(place);
      subject.Set("namespace", ns);
      subject.Set("name", name);
    } else {
      subject.Set("apiGroup", kRbacGroup);
      subject.Set("name", place);
    }
    object_.Make("subjects").Append(std::move(subject));
  }

  bool is_role() const { return !object_.Has("roleRef"); }

  Outcome<void> CreateIn(Objects& objects) && {
    const Resource& resource = objects.catalog().Get(kRbacGroup, plural_);
    const std::string ns = object_["metadata"]["namespace"].text();
    if (objects.store().Find(resource, ns, object_["metadata"]["name"].text()) != nullptr) return {};
    object_.Set("apiVersion", resource.api_version);
    object_.Set("kind", resource.kind);
    const Result<void> canonical = resource.schema().Canonicalize(object_);
    BERTH_ASSERT(canonical.has_value());
    BERTH_CHECK_OK(objects.Create(resource, ns, std::move(object_), {.manager = "kube-apiserver"}));
    return {};
  }

 private:
  std::string plural_;
  Json object_ = Json::MakeMap();
};

void ReadLine(std::string_view line, std::vector<PolicyObject>& read) {
  const std::vector<std::string_view> words = PolicyWords(line);
  if (words.empty() || line.starts_with('#')) return;
  if (!line.starts_with(' ')) {
    PolicyObject& begun = read.emplace_back(words[0] == "role" ? "role" : "rolebinding", words[1]);
    if (words[0] == "binding") return begun.SetRole(words[2], words[3]);
    for (size_t i = 2; i < words.size(); ++i) begun.AddLabel(words[i]);
    return;
  }
  BERTH_ASSERT(!read.empty());
  PolicyObject& present = read.back();
  if (words[0] == "aggregates") return present.AddAggregation(words[1]);
  if (present.is_role()) return present.AddRule(line);
  present.AddSubject(words[0], words[1]);
}

}  // namespace

Outcome<void> CreateBootstrapPolicy(Objects& objects) {
  std::vector<PolicyObject> read;
  for (const std::string_view line : Split(kBootstrapPolicy, '\n')) ReadLine(line, read);
  for (PolicyObject& each : read) BERTH_CHECK_OK(std::move(each).CreateIn(objects));
  return {};
}

}  // namespace berth::server
