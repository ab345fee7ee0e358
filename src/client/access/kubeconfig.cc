// SPDX-License-Identifier: Apache-2.0
#include "client/access/kubeconfig.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "api/decode/field_reader.h"
#include "api/document/value.h"
#include "base/base64.h"
#include "runtime/files.h"
#include "runtime/system_error.h"

namespace berth::client {

namespace {

using api::FieldReader;

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

template <class T>
struct Named {
  std::string name;
  T item;
};

void ReadBytes(FieldReader& r, std::string_view name, std::string& out) {
  std::string text;
  r.Read(name, text);
  std::optional<std::string> bytes = DecodeBase64(text);
  if (bytes) {
    out = *std::move(bytes);
  } else {
    r.Fail(fmt::format("{}: illegal base64 data", name));
  }
}

void ReadCluster(FieldReader& r, KubeconfigCluster& cluster) {
  r.Read("server", cluster.server);
  r.Read("tls-server-name", cluster.tls_server_name);
  r.Read("insecure-skip-tls-verify", cluster.insecure_skip_tls_verify);
  r.Read("certificate-authority", cluster.certificate_authority);
  ReadBytes(r, "certificate-authority-data", cluster.certificate_authority_data);
  r.Read("proxy-url", cluster.proxy_url);
  r.Read("disable-compression", cluster.disable_compression);
  api::Value extensions = r.value()["extensions"];
  for (size_t i = 0; i < extensions.size(); ++i) {
    api::Value extension = extensions[i]["extension"];
    if (extensions[i]["name"].text() == kExecExtension) cluster.exec_config_json = extension.ToJson();
  }
}

void ReadEnvironment(FieldReader& r, std::pair<std::string, std::string>& variable) {
  r.Read("name", variable.first);
  r.Read("value", variable.second);
}

void ReadExec(FieldReader& r, ExecConfig& exec) {
  r.Read("command", exec.command.program);
  r.Read("args", exec.command.arguments);
  r.Read("env", exec.command.environment, ReadEnvironment);
  r.Read("apiVersion", exec.api_version);
  r.Read("installHint", exec.install_hint);
  r.Read("interactiveMode", exec.interactive_mode);
  // From v1 on it has to be written down.
  bool is_old = exec.api_version.ends_with("/v1beta1") || exec.api_version.ends_with("/v1alpha1");
  if (exec.interactive_mode.empty() && is_old) exec.interactive_mode = "IfAvailable";
}

void ReadUser(FieldReader& r, KubeconfigUser& user) {
  r.Read("client-certificate", user.client_certificate);
  ReadBytes(r, "client-certificate-data", user.client_certificate_data);
  r.Read("client-key", user.client_key);
  ReadBytes(r, "client-key-data", user.client_key_data);
  r.Read("token", user.token);
  r.Read("tokenFile", user.token_file);
  r.Read("username", user.username);
  r.Read("password", user.password);
  r.Read("as", user.as.user);
  r.Read("as-uid", user.as.uid);
  r.Read("as-groups", user.as.groups);
  FieldReader extra = r.Child("as-user-extra");
  for (size_t i = 0; i < extra.value().size(); ++i) {
    std::string_view key = extra.value().key(i);
    extra.Read(key, user.as.extra[std::string(key)]);
  }
  r.Read("exec", user.exec, ReadExec);
  if (r.Has("exec")) r.Child("exec").Read("provideClusterInfo", user.exec_wants_cluster_info);
  if (r.Has("auth-provider")) r.Child("auth-provider").Read("name", user.auth_provider.emplace());
}

void ReadContext(FieldReader& r, KubeconfigContext& context) {
  r.Read("cluster", context.cluster);
  r.Read("user", context.user);
}

// A list of objects with a name and a field `field` becomes a map.
template <class T, class Reader>
void ReadNamed(FieldReader& r, std::string_view list, std::string_view field, std::map<std::string, T>& out,
               const Reader& read) {
  std::vector<Named<T>> items;
  r.Read(list, items, [&](FieldReader& item, Named<T>& named) {
    item.Read("name", named.name);
    item.Read(field, named.item, read);
  });
  for (Named<T>& named : items) {
    if (!out.emplace(named.name, std::move(named.item)).second) {
      r.Fail(fmt::format("{}: duplicate name \"{}\" in list", list, named.name));
    }
  }
}

void Resolve(const std::string& directory, std::string& file) {
  if (!file.empty()) file = (std::filesystem::path(directory) / file).lexically_normal().string();
}

void ResolveFiles(const std::string& directory, Kubeconfig& kubeconfig) {
  for (auto& [name, cluster] : kubeconfig.clusters) Resolve(directory, cluster.certificate_authority);
  for (auto& [name, user] : kubeconfig.users) {
    for (std::string* file : {&user.client_certificate, &user.client_key, &user.token_file}) Resolve(directory, *file);
    // A bare name is looked for in PATH.
    bool has_slash = user.exec && user.exec->command.program.find('/') != std::string::npos;
    if (has_slash) Resolve(directory, user.exec->command.program);
  }
}

}  // namespace

Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& directory) {
  std::vector<api::Document> documents = BERTH_TRY(api::ParseJsonOrYaml(text));
  Kubeconfig kubeconfig;
  if (documents.empty()) return kubeconfig;

  FieldReader r(documents.front().root());
  std::string kind = "Config";
  std::string api_version = "v1";
  r.Read("kind", kind);
  r.Read("apiVersion", api_version);
  if (kind != "Config" || api_version != "v1") {
    return Invalid(fmt::format("no kind \"{}\" is registered for version \"{}\"", kind, api_version));
  }
  ReadNamed(r, "clusters", "cluster", kubeconfig.clusters, ReadCluster);
  ReadNamed(r, "users", "user", kubeconfig.users, ReadUser);
  ReadNamed(r, "contexts", "context", kubeconfig.contexts, ReadContext);
  r.Read("current-context", kubeconfig.current_context);
  if (!r.ok()) return std::unexpected(r.error());
  ResolveFiles(directory, kubeconfig);
  return kubeconfig;
}

Result<Kubeconfig> LoadKubeconfig(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 && errno == ENOENT) {
    return Fail(Code::kNotFound, fmt::format("stat {}: {}", path, runtime::SystemError(ENOENT)));
  }
  auto explained = [&](const Error& error) {
    return Invalid(fmt::format("error loading config file \"{}\": {}", path, error.message));
  };
  Result<std::string> text = runtime::ReadFile(path);
  if (!text) return explained(text.error());
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::absolute(path, error).parent_path();
  if (error) return explained({Code::kUnavailable, runtime::SystemError(error.value())});
  Result<Kubeconfig> kubeconfig = ParseKubeconfig(*text, directory.string());
  if (!kubeconfig) return explained(kubeconfig.error());
  return kubeconfig;
}

}  // namespace berth::client
