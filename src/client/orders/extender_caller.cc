// SPDX-License-Identifier: Apache-2.0
#include "client/orders/extender_caller.h"

#include <fmt/format.h>

#include <utility>

#include "api/document/field_error.h"
#include "base/base64.h"
#include "base/url.h"
#include "client/request/request_url.h"
#include "net/tls.h"
#include "runtime/files.h"

namespace berth::client {
namespace {

using AnswerCode = scheduler::EffectAnswer::Code;

constexpr size_t kAnswerMax = size_t{512} << 20;
constexpr int kRedirectsMax = 10;
constexpr Duration kDefaultTimeout = Seconds(5);

bool IsRedirect(int status) { return (status >= 301 && status <= 303) || status == 307 || status == 308; }

Result<ServerAccess> AccessOf(const framework::ExtenderConfiguration& extender) {
  ServerAccess access;
  access.make_credentials = [](const CredentialTools&) { return NoCredentials(); };
  const framework::ExtenderTlsConfig tls = extender.tls_config.value_or(framework::ExtenderTlsConfig());
  const bool has_ca = !tls.ca_file.empty() || !tls.ca_data.empty();
  access.tls.insecure_skip_verify = tls.insecure || (extender.enable_https && !has_ca);
  if (has_ca && access.tls.insecure_skip_verify) {
    return Invalid("specifying a root certificates file with the insecure flag is not allowed");
  }
  access.tls.server_name = tls.server_name;
  access.tls.ca_pem = tls.ca_data;
  access.ca_file = tls.ca_file;
  const bool has_certificate = !tls.cert_file.empty() || !tls.cert_data.empty();
  const bool has_key = !tls.key_file.empty() || !tls.key_data.empty();
  if (has_certificate && has_key) {
    access.tls.certificate_pem = tls.cert_data;
    access.certificate_file = tls.cert_file;
    access.tls.key_pem = tls.key_data;
    access.key_file = tls.key_file;
  } else if (has_ca || access.tls.insecure_skip_verify || !tls.server_name.empty()) {
    // Of no use alone, but upstream wants to read it.
    if (tls.cert_data.empty() && !tls.cert_file.empty()) BERTH_TRY(runtime::ReadFile(tls.cert_file));
    if (tls.key_data.empty() && !tls.key_file.empty()) BERTH_TRY(runtime::ReadFile(tls.key_file));
  }
  return access;
}

Result<void> CheckCertificateAuthority(const ServerAccess& access) {
  std::string ca = access.tls.ca_pem;
  if (ca.empty() && !access.ca_file.empty()) ca = BERTH_TRY(runtime::ReadFile(access.ca_file));
  net::TlsClientOptions trusting;
  trusting.ca_pem = ca;
  if (ca.empty() || net::TlsContext::ForClient(trusting)) return {};
  return Invalid(fmt::format("unable to load root certificates: {}", ca.contains("-----BEGIN ")
                                                                         ? "no valid certificate authority data seen"
                                                                         : "unable to parse bytes as PEM block"));
}

// Whether its files can be read and make sense, even if no server asks for them.
Result<void> Check(net::EventLoop& loop, ServerAccess access) {
  BERTH_CHECK_OK(CheckCertificateAuthority(access));
  access.endpoint.scheme = "https";
  BERTH_TRY(Connection::Create(loop, std::move(access)));
  return {};
}

std::vector<net::Header> HeadersTo(const net::Endpoint& endpoint, bool has_body) {
  std::vector<net::Header> headers = {{"User-Agent", "berth-scheduler"}};
  if (has_body) headers.push_back({"Content-Type", "application/json"});
  if (!endpoint.user.empty()) {
    headers.push_back({"Authorization", "Basic " + EncodeBase64(endpoint.user + ":" + endpoint.password)});
  }
  return headers;
}

}  // namespace

// A call and where it is. Shared with the receiver that is running.
struct ExtenderCaller::Running {
  uint64_t id = 0;
  Extender& extender;
  std::string verb;
  std::string url;
  bool posts = true;         // Some redirects turn a POST into a GET.
  std::string request = {};  // Kept, because it may have to be sent elsewhere.
  Time deadline;
  Done done;
  net::Transport* transport = nullptr;  // While something is under way.
  net::Transport::CallId transport_call = 0;
  int redirects = 0;
  bool has_head = false;
  std::string answer = {};

  std::string Explain(std::string_view cause) const {
    return fmt::format("{} {}: {}", posts ? "Post" : "Get", api::GoQuote(WithoutPassword(url)), cause);
  }
};

Result<std::unique_ptr<ExtenderCaller>> ExtenderCaller::Create(
    net::EventLoop& loop, const std::vector<framework::ExtenderConfiguration>& extenders, ProxySettings proxies) {
  std::unique_ptr<ExtenderCaller> caller(new ExtenderCaller(loop, std::move(proxies)));
  for (const framework::ExtenderConfiguration& extender : extenders) {
    Result<ServerAccess> access = AccessOf(extender);
    const Result<void> checked = access ? Check(loop, *access) : std::unexpected(access.error());
    if (!checked) return Fail(checked.error().code, "couldn't build extenders: " + checked.error().message);
    std::string url = extender.url_prefix;
    while (url.ends_with('/')) url.pop_back();
    const Duration timeout = extender.http_timeout == Duration{} ? kDefaultTimeout : extender.http_timeout;
    caller->extenders_.push_back({std::move(url), timeout, *std::move(access), {}});
  }
  return caller;
}

void ExtenderCaller::Call(uint64_t id, size_t extender, std::string verb, std::string body, Done done) {
  Extender& asked = extenders_[extender];
  std::string url = fmt::format("{}/{}", asked.url, verb);
  const auto call = std::make_shared<Running>(Running{.id = id,
                                                      .extender = asked,
                                                      .verb = std::move(verb),
                                                      .url = std::move(url),
                                                      .request = std::move(body),
                                                      .deadline = loop_.Now() + asked.timeout,
                                                      .done = std::move(done)});
  calls_.emplace(id, call);
  if (const Result<void> sent = Send(call); !sent)
    Finish(call, AnswerCode::kFailed, call->Explain(sent.error().message));
}

void ExtenderCaller::Cancel(uint64_t id) {
  const auto node = calls_.extract(id);
  if (node.empty()) return;
  const Running& call = *node.mapped();
  if (call.transport != nullptr) call.transport->Cancel(call.transport_call);
}

Result<void> ExtenderCaller::Send(const RunningPtr& call) {
  const RequestUrl url = BERTH_TRY(ParseRequestUrl(call->url));
  net::Transport* const transport = BERTH_TRY(TransportTo(call->extender, url.endpoint));
  net::Request request;
  request.method = call->posts ? "POST" : "GET";
  request.target = url.target;
  request.headers = HeadersTo(url.endpoint, call->posts);
  if (call->posts) request.body = call->request;
  if (call->extender.timeout > Duration{}) {
    request.timeout = std::max(call->deadline - loop_.Now(), Duration{1});
  }
  request.urgent = true;  // Upstream's calls never wait for one another.
  call->transport = transport;
  call->transport_call = transport->Start(
      std::move(request), {.on_head = [this, call](const net::ResponseHead& head) { OnHead(call, head); },
                           .on_body =
                               [call](std::string_view piece) {
                                 // One piece too many says that it is too long.
                                 if (call->answer.size() <= kAnswerMax) call->answer += piece;
                               },
                           .on_end = [this, call](Result<void> end) { OnEnd(call, std::move(end)); }});
  return {};
}

Result<net::Transport*> ExtenderCaller::TransportTo(Extender& extender, const net::Endpoint& endpoint) {
  std::unique_ptr<Connection>& connection =
      extender.connections[fmt::format("{}://{}", endpoint.scheme, endpoint.Authority())];
  if (connection == nullptr) {
    ServerAccess access = extender.access;
    access.endpoint = endpoint;
    access.url = WithoutPassword(extender.url);
    const std::string proxy = proxies_.For(endpoint.scheme, endpoint.host, endpoint.port);
    if (!proxy.empty()) access.proxy = BERTH_TRY(net::ParseEndpoint(proxy));
    connection = BERTH_TRY(Connection::Create(loop_, std::move(access)));
  }
  return &connection->transport();
}

void ExtenderCaller::OnHead(const RunningPtr& call, const net::ResponseHead& head) {
  call->has_head = true;
  if (head.status == 200) return;
  const std::string location(head.Find("Location"));
  call->transport->Cancel(call->transport_call);
  call->transport = nullptr;
  if (IsRedirect(head.status) && !location.empty()) return Redirect(call, head.status, location);
  Finish(call, AnswerCode::kFailed,
         fmt::format("failed {} with extender at URL {}, code {}", call->verb,
                     WithoutPassword(fmt::format("{}/{}", call->extender.url, call->verb)), head.status));
}

void ExtenderCaller::Redirect(const RunningPtr& call, int status, std::string_view location) {
  call->url = ResolveLocation(call->url, location);
  call->has_head = false;
  if (status <= 303) call->posts = false;
  const Result<void> sent = ++call->redirects < kRedirectsMax
                                ? Send(call)
                                : Invalid(fmt::format("stopped after {} redirects", kRedirectsMax));
  if (!sent) Finish(call, AnswerCode::kFailed, call->Explain(sent.error().message));
}

void ExtenderCaller::OnEnd(const RunningPtr& call, Result<void> end) {
  call->transport = nullptr;
  if (end && call->answer.size() > kAnswerMax) {
    end = Fail(berth::Code::kLimit, fmt::format("the answer has more than {} bytes", kAnswerMax));
  }
  if (end) return Finish(call, AnswerCode::kOk, std::move(call->answer));
  const bool certain = end.error().code == berth::Code::kUnavailable;
  Finish(call, certain ? AnswerCode::kFailed : AnswerCode::kUnknown,
         call->has_head ? end.error().message : call->Explain(end.error().message));
}

void ExtenderCaller::Finish(const RunningPtr& call, AnswerCode code, std::string message) {
  if (calls_.erase(call->id) == 0) return;
  call->done({call->id, code, std::move(message)});
}

}  // namespace berth::client
