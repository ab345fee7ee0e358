// SPDX-License-Identifier: Apache-2.0
// Any bytes: a kubeconfig is refused or read, and its servers are refused or understood.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "client/access/kubeconfig.h"
#include "client/access/proxy_settings.h"
#include "net/endpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto kubeconfig = berth::client::ParseKubeconfig(text, "/etc");
  if (!kubeconfig) return 0;
  for (const auto& [name, cluster] : kubeconfig->clusters) {
    auto endpoint = berth::net::ParseEndpoint(cluster.server);
    if (!endpoint) continue;
    berth::client::ProxySettings proxies{"proxy:1", "proxy:2", cluster.proxy_url};
    (void)proxies.For(endpoint->scheme, endpoint->host, endpoint->port);
  }
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "clusters:\n- name: c\n  cluster:\n    server: https://[::1]:6443/a\n    certificate-authority-data: Q0E=\n"
    "    proxy-url: '10.0.0.0/8,.a.b:1,[::1]:2,*.c'\n    extensions: [{name: client.authentication.k8s.io/exec, "
    "extension: {a: b}}]\n",
    "users:\n- name: u\n  user:\n    client-key: ../k\n    token: t\n    as: a\n    as-user-extra: {k: [v]}\n"
    "    exec: {command: ./x, args: [a], env: [{name: a, value: b}], apiVersion: v1}\n    auth-provider: {name: p}\n",
    "{\"contexts\":[{\"name\":\"m\",\"context\":{\"cluster\":\"c\",\"user\":\"u\"}}],\"current-context\":\"m\"}",
    nullptr,
};
