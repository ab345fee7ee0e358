// SPDX-License-Identifier: Apache-2.0
#include "server/rest/api_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/patch/managed_fields.h"
#include "server/rest/answer.h"

namespace berth::server {
namespace {

constexpr std::string_view kVersion =
    R"({"major":"1","minor":"37","emulationMajor":"1","emulationMinor":"37","minCompatibilityMajor":"1",)"
    R"("minCompatibilityMinor":"36","gitVersion":"v1.37.1+berth","gitCommit":"","gitTreeState":"clean",)"
    R"("buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"gcc","platform":"linux/amd64"})";

Refusal Unknown() {
  return std::unexpected(StatusError{.code = 404,
                                     .reason = "NotFound",
                                     .message = "the server could not find the requested resource",
                                     .has_details = true});
}

Refusal NotAllowed() {
  return std::unexpected(StatusError{.code = 405,
                                     .reason = "MethodNotAllowed",
                                     .message = "the server does not allow this method on the requested resource",
                                     .has_details = true});
}

// Custom resources are served by another part of upstream's server, which has words of its own.
Refusal NotAllowedOn(const Resource& resource, std::string_view verb) {
  return std::unexpected(
      StatusError{.code = 405,
                  .reason = "MethodNotAllowed",
                  .message = fmt::format("{} is not supported on resources of kind \"{}\"", verb, resource.Qualified()),
                  .has_details = true,
                  .group = std::string(resource.group),
                  .kind = std::string(resource.plural)});
}

Refusal NotAcceptableAsCustom() {
  return std::unexpected(StatusError{.code = 406,
                                     .reason = "NotAcceptable",
                                     .message = "only the following media types are accepted: application/json, "
                                                "application/yaml, application/vnd.kubernetes.protobuf"});
}

Refusal NotAcceptable() {
  return std::unexpected(StatusError{.code = 406,
                                     .reason = "NotAcceptable",
                                     .message = "406: Not Acceptable\n\nAvailable representations: application/json, "
                                                "application/yaml, application/vnd.kubernetes.protobuf",
                                     .has_details = true});
}

// People read what these programs show.
bool WantsIndentation(const Call& call) {
  if (!call.target.query.Get("pretty").empty()) return call.target.query.IsSet("pretty");
  const std::string_view agent = call.request.Find("User-Agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

bool Offers(const std::vector<std::string_view>& verbs, std::string_view verb) {
  return std::ranges::find(verbs, verb) != verbs.end();
}

// What a request asks for, in the words of discovery.
std::string_view VerbOf(const Call& call) {
  const std::string& method = call.request.method;
  const bool has_name = !call.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (call.target.query.IsSet("watch") && !has_name) return "watch";
    return has_name ? "get" : "list";
  }
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return has_name ? "delete" : "deletecollection";
  return "";
}

// Subresources that lead into a container.
bool IsConnection(std::string_view subresource) {
  return subresource == "exec" || subresource == "attach" || subresource == "portforward" || subresource == "proxy";
}

// How long the client waits. It is not needed, but must make sense.
Outcome<void> CheckTimeout(const Query& query) {
  const std::string_view text = query.Get("timeout");
  if (text.empty()) return {};
  const Result<Duration> timeout = ParseDuration(text);
  if (timeout) return {};
  return BadRequest("invalid timeout specified in the request URL - " + timeout.error().message);
}

// How long a write may take.
Duration TimeoutOf(const Query& query) {
  constexpr Duration kMost = Seconds(60);
  const Result<Duration> asked = ParseDuration(query.Get("timeout"));
  return asked && *asked > Duration{} ? std::min(*asked, kMost) : kMost;
}

// Splits what follows the version: [namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]].
bool ReadPath(Call& call, const Catalog& catalog, std::string_view group, std::string_view version, size_t at) {
  const std::vector<std::string>& segments = call.target.segments;
  const auto rest = [&](size_t i) { return at + i < segments.size() ? segments[at + i] : std::string(); };
  const bool is_in_namespace = rest(0) == "namespaces" && !rest(2).empty() && !IsPartOfNamespace(rest(2)) &&
                               catalog.Find(group, version, rest(2)) != nullptr;
  if (is_in_namespace) {
    call.ns = rest(1);
    at += 2;
  }
  call.resource = catalog.Find(group, version, rest(0));
  call.name = rest(1);
  call.subresource = rest(2);
  if (call.resource == nullptr || segments.size() > at + 3) return false;
  if (call.resource->namespaced != is_in_namespace && (is_in_namespace || !call.name.empty())) return false;
  return call.subresource.empty() || call.resource->FindSubresource(call.subresource) != nullptr;
}

}  // namespace

std::string Call::Manager() const {
  const std::string manager = ManagerName(target.query.Get("fieldManager"), request.Find("User-Agent"));
  return manager.empty() ? "unknown" : manager;
}

ApiServer::ApiServer(const Catalog& catalog, Store& store, Objects& objects, runtime::Timers& timers, uint64_t seed,
                     AccessOptions access)
    : catalog_(catalog),
      store_(store),
      objects_(objects),
      timers_(timers),
      discovery_(catalog),
      openapi_(catalog),
      metrics_(catalog, store),
      watches_(store, objects.webhooks(), timers, seed),
      random_(seed),
      access_(catalog, store, timers, std::move(access)) {}

void ApiServer::Handle(net::ServerRequest request, std::unique_ptr<Exchange> exchange, User user) {
  Call call{.request = std::move(request), .exchange = std::move(exchange), .user = std::move(user)};
  Result<Target> target = ParseTarget(call.request.target);
  if (!target) return SendText(call, 400, "text/plain; charset=utf-8", "400 Bad Request");
  call.target = std::move(*target);
  call.media.is_pretty = WantsIndentation(call);
  const bool is_read = call.request.method == "GET" || call.request.method == "HEAD";
  if (!is_read && objects_.webhooks().are_asked()) {
    call.dialog = objects_.webhooks().Open(TimeoutOf(call.target.query));
  }
  Attempt(std::move(call));
}

void ApiServer::Attempt(Call call) {
  if (call.dialog != nullptr) call.dialog->Begin();
  // What is known of a write stays, if only its answer is missing.
  if (call.written == nullptr) call.warnings.clear();
  const Outcome<void> outcome = call.written == nullptr ? Route(call) : AnswerWritten(call);
  if (call.dialog != nullptr && call.dialog->is_waiting()) {
    call.is_repeated = true;
    std::shared_ptr<WebhookDialog> dialog = call.dialog;
    return objects_.webhooks().Send(std::move(dialog),
                                    [this, parked = std::move(call)]() mutable { Attempt(std::move(parked)); });
  }
  if (!outcome) SendError(call, outcome.error());
}

Outcome<void> ApiServer::Show(Call& call, std::span<const ObjectPtr> objects) {
  const Resource& resource = *call.resource;
  call.shown.clear();
  if (!NeedsConverter(resource) || objects.empty()) return {};
  std::vector<Json> trees;
  for (const ObjectPtr& object : objects) trees.push_back(object->Tree());
  const std::vector<Json> shown =
      BERTH_TRY(objects_.webhooks().Convert(*resource.stored, resource, std::move(trees), *call.dialog));
  for (size_t i = 0; i < objects.size(); ++i) call.shown.emplace(objects[i]->revision(), shown[i]);
  return {};
}

void ApiServer::Refuse(net::ServerRequest request, std::unique_ptr<Exchange> exchange, const StatusError& error) {
  Call call{.request = std::move(request), .exchange = std::move(exchange)};
  call.media = NegotiateMedia(call.request.Find("Accept"), {}).value_or(Media{});
  call.media.view = Media::View::kObject;
  call.media.is_pretty = WantsIndentation(call);
  SendError(call, error);
}

bool ApiServer::AnswerFixed(Call& call) {
  const std::string& path = call.target.path;
  if (path == "/healthz/ping" || path == "/livez/ping" || path == "/readyz/ping") {
    SendText(call, 200, "text/plain; charset=utf-8", "ok");
    return true;
  }
  if (path == "/healthz" || path == "/livez" || path == "/readyz") {
    const bool is_verbose = call.target.query.Has("verbose");
    SendText(call, 200, "text/plain; charset=utf-8",
             is_verbose ? fmt::format("[+]ping ok\n[+]store ok\n{} check passed\n", path.substr(1)) : "ok");
    return true;
  }
  if (path == "/version" || path == "/version/") {
    SendText(call, 200, "application/json", call.media.is_pretty ? Indent(kVersion) : std::string(kVersion));
    return true;
  }
  if (path == "/metrics") {
    SendText(call, 200, "text/plain; version=0.0.4; charset=utf-8", metrics_.Print());
    return true;
  }
  return false;
}

Outcome<void> ApiServer::Route(Call& call) {
  const std::vector<std::string>& segments = call.target.segments;
  const std::string first = segments.empty() ? std::string() : segments.front();
  const bool is_core = first == "api" && segments.size() > 2;
  const bool is_group = first == "apis" && segments.size() > 3;
  if (!is_core && !is_group) {
    BERTH_CHECK_OK(CheckTimeout(call.target.query));
    if (call.request.method != "GET" && call.request.method != "HEAD") return NotAllowed();
    if (AnswerFixed(call) || discovery_.Answer(call) || openapi_.Answer(call)) return {};
    SendText(call, 404, "text/plain; charset=utf-8", "404 page not found\n");
    return {};
  }
  const std::string_view group = is_core ? std::string_view() : segments[1];
  const std::string_view version = is_core ? segments[1] : segments[2];
  size_t at = is_core ? 2 : 3;
  // A deprecated way to ask for a watch.
  const bool is_watch = segments[at] == "watch" && segments.size() > at + 1;
  if (is_watch) {
    // Rights to watch are no others.
    if (call.request.method != "GET" && call.request.method != "HEAD") return NotAllowed();
    call.target.query.Set("watch", "true");
    ++at;
  }
  const bool is_known = ReadPath(call, catalog_, group, version, at) && (!is_watch || call.subresource.empty());
  if (is_watch && !call.name.empty()) {
    call.target.query.Set("fieldSelector", "metadata.name=" + std::exchange(call.name, {}));
  }
  if (!is_known) {
    const Resource* const resource = call.resource;
    if (resource != nullptr && resource->custom != nullptr && !call.subresource.empty() && segments.size() <= at + 5) {
      return NotFound(*resource, call.name);
    }
    const bool is_custom = std::ranges::any_of(catalog_.served(), [&](const auto& each) {
      return each->custom != nullptr && each->group == group && each->version == version;
    });
    if (!is_custom && discovery_.HasVersion(group, version)) return Unknown();
    SendText(call, 404, "text/plain; charset=utf-8", "404 page not found\n");
    return {};
  }
  return RouteResource(call);
}

Outcome<void> ApiServer::RouteResource(Call& call) {
  const Resource& resource = *call.resource;
  const std::string_view verb = VerbOf(call);
  const Subresource* subresource = resource.FindSubresource(call.subresource);
  const std::optional<Media> media = NegotiateMedia(
      call.request.Find("Accept"), {.is_list = verb == "list" || verb == "deletecollection" || verb == "watch",
                                    .is_watch = verb == "watch",
                                    .shows_tables = !resource.is_virtual(),
                                    .is_custom = resource.custom != nullptr && call.subresource != "scale"});
  if (!media) return resource.custom == nullptr ? NotAcceptable() : NotAcceptableAsCustom();
  if (resource.custom != nullptr && !resource.custom->deprecation().empty()) {
    call.warnings.emplace_back(resource.custom->deprecation());
  }
  const bool is_pretty = call.media.is_pretty;
  call.media = *media;
  call.media.is_pretty = is_pretty;
  if (!call.is_repeated) metrics_.Observe(call, verb);
  const bool is_long = verb == "watch" || IsConnection(call.subresource) || call.subresource == "log";
  if (!is_long) BERTH_CHECK_OK(CheckTimeout(call.target.query));
  const bool is_custom = resource.custom != nullptr;
  if (!Offers(subresource != nullptr ? subresource->verbs : resource.verbs, verb)) {
    return is_custom ? NotAllowedOn(resource, verb) : NotAllowed();
  }
  if (resource.namespaced && call.ns.empty() && verb != "list" && verb != "watch") {
    if (!is_custom) return NotAllowed();
    SendText(call, 404, "text/plain; charset=utf-8", "404 page not found\n");
    return {};
  }
  if ((verb == "update" || verb == "patch") && call.name.empty()) {
    return is_custom ? BadRequest("name must be provided") : NotAllowed();
  }
  if (verb == "create" && !call.name.empty() && call.subresource.empty() && !is_custom) return NotAllowed();
  BERTH_CHECK_OK(CheckIncludeObject(call));
  if (call.dialog == nullptr && verb != "watch" && NeedsConverter(resource)) {
    call.dialog = objects_.webhooks().Open(TimeoutOf(call.target.query));
  }

  if (call.subresource == "scale" && verb == "get") return GetScale(call);
  if (call.subresource == "log") return GetLog(call);
  if (IsConnection(call.subresource)) return Connect(call);
  if (call.subresource == "token") return CreateToken(call);
  if (verb == "get") return Get(call);
  if (verb == "list" || verb == "watch") return List(call);
  if (verb == "update") return Put(call);
  if (verb == "patch") return Patch(call);
  if (verb == "delete") return Delete(call);
  if (verb == "deletecollection") return DeleteCollection(call);
  if (subresource != nullptr || resource.plural == "bindings") return CreateIn(call);
  return resource.verbs.size() == 1 ? Review(call) : Create(call);
}

}  // namespace berth::server
