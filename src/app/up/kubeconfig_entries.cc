// SPDX-License-Identifier: Apache-2.0
#include "app/up/kubeconfig_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "api/document/json_tree.h"
#include "api/document/yaml_writer.h"
#include "base/base64.h"

namespace berth::up {
namespace {

using api::Json;

constexpr std::string_view kExtension = "berth.dev/up";
constexpr std::array<std::string_view, 3> kLists = {"clusters", "users", "contexts"};

Result<Json> ParseKubeconfig(std::string_view text) {
  const std::vector<api::Document> documents = BERTH_TRY(api::ParseJsonOrYaml(text));
  if (documents.size() > 1) return Invalid("it has several documents and is no kubeconfig");
  Json tree = documents.empty() ? Json() : Json::FromValue(documents.front().root());
  if (tree.is_null()) tree = Json::MakeMap();
  const bool has_lists =
      std::ranges::all_of(kLists, [&](std::string_view list) { return tree[list].is_null() || tree[list].is_list(); });
  const std::string& kind = tree["kind"].text();
  if (!tree.is_map() || !has_lists || (!kind.empty() && kind != "Config")) return Invalid("it is no kubeconfig");
  return tree;
}

std::string Print(const Json& tree) { return api::ToYaml(api::Value(tree)); }

// The entry of a list of the kubeconfig; null if there is none.
const Json& FindEntry(const Json& tree, std::string_view list, std::string_view name) {
  for (const Json& entry : tree[list].items()) {
    if (entry["name"].text() == name) return entry;
  }
  static const Json kNone;
  return kNone;
}

void EraseEntry(Json& tree, std::string_view list, std::string_view name) {
  if (!tree[list].is_list()) return;
  std::erase_if(tree.Make(list).mutable_items(), [&](const Json& entry) { return entry["name"].text() == name; });
}

void SetEntry(Json& tree, std::string_view list, Json entry) {
  EraseEntry(tree, list, entry["name"].text());
  if (tree[list].is_null()) tree.Set(list, Json::MakeList());
  tree.Make(list).Append(std::move(entry));
}

// What a context of Berth says about itself; null for others.
const Json& ExtensionOf(const Json& context) {
  for (const Json& extension : context["context"]["extensions"].items()) {
    if (extension["name"].text() == kExtension) return extension["extension"];
  }
  static const Json kNone;
  return kNone;
}

Result<void> CheckIsFree(const Json& tree, const KubeconfigContext& context,
                         const std::function<bool(int64_t)>& is_running) {
  const Json& extension = ExtensionOf(FindEntry(tree, "contexts", context.name));
  if (!extension.is_null()) {
    const int64_t process = extension["process"].IntOr(0);
    if (process == context.process || !is_running(process)) return {};
    return Fail(Code::kConflict,
                fmt::format("its context \"{}\" is that of another berth up, process {}, that is running", context.name,
                            process));
  }
  for (const std::string_view list : kLists) {
    if (FindEntry(tree, list, context.name).is_null()) continue;
    return Fail(Code::kConflict,
                fmt::format("its {} have a \"{}\" that is not Berth's; choose another name", list, context.name));
  }
  return {};
}

Json ClusterOf(const Access& access) {
  Json cluster{{"server", Json::String(access.server)}};
  if (!access.ca_pem.empty()) cluster.Set("certificate-authority-data", EncodeBase64(access.ca_pem));
  // Without TLS there is nothing to verify; some clients refuse plain HTTP unless they read so.
  if (access.server.starts_with("http://")) cluster.Set("insecure-skip-tls-verify", Json::Bool(true));
  if (!access.tls_server_name.empty()) cluster.Set("tls-server-name", access.tls_server_name);
  return cluster;
}

// Over TLS, clients that have nothing to show ask for a name and a password, and read what was meant for something
// else. A server that wants no token takes any.
Json UserOf(const Access& access) {
  const bool is_asked = access.token.empty() && access.server.starts_with("https://");
  const std::string token = is_asked ? "any" : access.token;
  return token.empty() ? Json::MakeMap() : Json{{"token", Json::String(token)}};
}

}  // namespace

Result<std::string> AddContext(std::string_view text, const KubeconfigContext& context,
                               const std::function<bool(int64_t)>& is_running) {
  Json tree = BERTH_TRY(ParseKubeconfig(text));
  BERTH_CHECK_OK(CheckIsFree(tree, context, is_running));
  const Json& stale = ExtensionOf(FindEntry(tree, "contexts", context.name));
  const std::string previous = (stale.is_null() ? tree["current-context"] : stale["previousContext"]).text();

  const Json name = Json::String(context.name);
  const Json extension{{"process", Json::Int(context.process)}, {"previousContext", Json::String(previous)}};
  const Json named{{"name", Json::String(kExtension)}, {"extension", extension}};
  tree.SetDefault("apiVersion", Json::String("v1"));
  tree.SetDefault("kind", Json::String("Config"));
  SetEntry(tree, "clusters", Json{{"name", name}, {"cluster", ClusterOf(context.access)}});
  SetEntry(tree, "users", Json{{"name", name}, {"user", UserOf(context.access)}});
  SetEntry(tree, "contexts",
           Json{{"name", name},
                {"context", Json{{"cluster", name}, {"user", name}, {"extensions", Json::MakeList({named})}}}});
  tree.Set("current-context", name);
  return Print(tree);
}

Result<std::string> RemoveContext(std::string_view text, const KubeconfigContext& context) {
  Json tree = BERTH_TRY(ParseKubeconfig(text));
  const Json extension = ExtensionOf(FindEntry(tree, "contexts", context.name));
  if (extension["process"].IntOr(0) != context.process) return std::string(text);
  for (const std::string_view list : kLists) EraseEntry(tree, list, context.name);
  if (tree["current-context"].text() == context.name) {
    const std::string& previous = extension["previousContext"].text();
    const bool is_there = !FindEntry(tree, "contexts", previous).is_null();
    tree.Set("current-context", is_there ? std::string_view(previous) : std::string_view());
  }
  return Print(tree);
}

bool HasContext(std::string_view text, std::string_view name) {
  const Result<Json> tree = ParseKubeconfig(text);
  return tree && !FindEntry(*tree, "contexts", name).is_null();
}

bool HoldsOthers(std::string_view text, std::string_view name) {
  const Result<Json> tree = ParseKubeconfig(text);
  return tree && std::ranges::any_of(kLists, [&](std::string_view list) {
           return std::ranges::any_of((*tree)[list].items(),
                                      [&](const Json& entry) { return entry["name"].text() != name; });
         });
}

}  // namespace berth::up
