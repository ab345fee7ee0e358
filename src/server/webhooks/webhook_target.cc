// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/webhook_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "api/document/field_error.h"
#include "base/base64.h"
#include "client/request/request_url.h"

namespace berth::server {
namespace {

constexpr int64_t kDefaultPort = 443;

// A path is written in its shortest form, which has no slash at its end: servers answer others with a redirection.
std::string JoinUrl(std::string_view origin, std::string_view path) {
  std::string shortest = std::filesystem::path(fmt::format("/{}", path)).lexically_normal().string();
  if (shortest.size() > 1 && shortest.ends_with('/')) shortest.pop_back();
  return fmt::format("{}{}", origin, shortest);
}

std::string ServerName(const Json& service) {
  return fmt::format("{}.{}.svc", service["name"].text(), service["namespace"].text());
}

// Without query.
std::string BaseUrl(const Json& config) {
  if (const Json& service = config["service"]; service.is_map()) {
    return JoinUrl(fmt::format("https://{}:{}", ServerName(service), service["port"].IntOr(kDefaultPort)),
                   service["path"].text());
  }
  const std::string_view url = config["url"].text();
  const size_t scheme = url.find("://");
  const size_t slash = scheme == std::string_view::npos ? scheme : url.find('/', scheme + 3);
  if (slash == std::string_view::npos) return JoinUrl(url, "");
  return JoinUrl(url.substr(0, slash), url.substr(slash));
}

struct ServerPlace {
  std::string host;
  uint16_t port = 0;
};

std::optional<ServerPlace> PlaceOfEndpoint(const Json& slice, const Json& endpoint, std::string_view port_name) {
  if (!endpoint["conditions"]["ready"].is_null() && !endpoint["conditions"]["ready"].AsBool()) return std::nullopt;
  const Json::List& ports = slice["ports"].items();
  const auto port = std::ranges::find_if(ports, [&](const Json& each) { return each["name"].text() == port_name; });
  const int64_t number = port == ports.end() ? 0 : (*port)["port"].IntOr(0);
  if (number < 1 || number > 65535 || endpoint["addresses"].empty()) return std::nullopt;
  return ServerPlace{endpoint["addresses"][size_t{0}].text(), static_cast<uint16_t>(number)};
}

Result<ServerPlace> FindEndpoint(const Json& service, std::string_view port_name, const Store& store,
                                 const Catalog& catalog) {
  const std::string& name = service["name"].text();
  const std::string prefix = service["namespace"].text() + "/";
  const Store::Objects& all = store.All(catalog.Get("discovery.k8s.io", "endpointslices"));
  bool has_pods = false;
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    if (at->second->labels().Get("kubernetes.io/service-name") != name) continue;
    const TreePtr slice = at->second->tree();
    for (const Json& endpoint : (*slice)["endpoints"].items()) {
      const std::optional<ServerPlace> place = PlaceOfEndpoint(*slice, endpoint, port_name);
      const bool is_pod = endpoint["targetRef"]["kind"].text() == "Pod";
      if (place && !is_pod) return *place;
      has_pods |= place.has_value();
    }
  }
  if (has_pods) {
    return Fail(
        Code::kUnavailable,
        fmt::format("the endpoints of service {} are simulated pods, on which nothing serves", api::GoQuote(name)));
  }
  return Fail(Code::kUnavailable, fmt::format("no endpoints available for service {}", api::GoQuote(name)));
}

Result<ServerPlace> FindService(const Json& service, const Store& store, const Catalog& catalog) {
  const std::string& name = service["name"].text();
  const ObjectPtr found = store.Find(catalog.Get("", "services"), service["namespace"].text(), name);
  if (found == nullptr) return Fail(Code::kNotFound, fmt::format("service {} not found", api::GoQuote(name)));
  const TreePtr tree = found->tree();
  const Json& spec = (*tree)["spec"];
  const int64_t number = service["port"].IntOr(kDefaultPort);
  if (spec["type"].text() == "ExternalName") {
    return ServerPlace{spec["externalName"].text(), static_cast<uint16_t>(number)};
  }
  for (const Json& port : spec["ports"].items()) {
    if (port["port"].IntOr(0) == number) return FindEndpoint(service, port["name"].text(), store, catalog);
  }
  return Fail(Code::kUnavailable, fmt::format("no service port {} found for service {}", number, api::GoQuote(name)));
}

}  // namespace

std::string WebhookUrl(const Json& config, int64_t timeout_seconds) {
  return fmt::format("{}?timeout={}s", BaseUrl(config), timeout_seconds);
}

Result<WebhookCall> AddressWebhook(const Json& config, int64_t timeout_seconds, const Store& store,
                                   const Catalog& catalog) {
  client::RequestUrl url = BERTH_TRY(client::ParseRequestUrl(WebhookUrl(config, timeout_seconds)));
  WebhookCall call{.endpoint = std::move(url.endpoint),
                   .target = std::move(url.target),
                   .ca_pem = DecodeBase64(config["caBundle"].text()).value_or("")};
  call.host = call.endpoint.Authority();
  if (const Json& service = config["service"]; service.is_map()) {
    ServerPlace place = BERTH_TRY(FindService(service, store, catalog));
    call.server_name = ServerName(service);
    call.endpoint.host = std::move(place.host);
    call.endpoint.port = place.port;
  }
  return call;
}

}  // namespace berth::server
