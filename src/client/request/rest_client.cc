// SPDX-License-Identifier: Apache-2.0
#include "client/request/rest_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "client/request/api_error.h"
#include "client/request/retry.h"

namespace berth::client {

namespace {

std::string_view HostIn(std::string_view url) {
  size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  return url.substr(0, url.find('/'));
}

std::string Target(const RestRequest& request) {
  return request.query.empty() ? request.path : fmt::format("{}?{}", request.path, request.query);
}

// GET becomes Get, as in the errors of Go's HTTP client.
std::string Capitalized(std::string_view method) {
  std::string text(method);
  for (size_t i = 1; i < text.size(); ++i)
    text[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  return text;
}

}  // namespace

struct RestClient::Call {
  Call(runtime::Timers& timers, RestRequest asked, bool streams)
      : request(std::move(asked)), is_stream(streams), timer(timers) {}

  CallId id = 0;
  RestRequest request;
  const bool is_stream;
  Done done;               // Of a call that is no stream,
  net::Receiver receiver;  // and of one that is.

  Time sent_at;
  Time queued_at;
  runtime::Timer timer;  // Runs from one try to the next.
  Retry retry;
  uint64_t credentials_version = 0;
  net::Transport::CallId transport_call = 0;  // While there is one.
  bool paused = false;

  // Of the current try.
  std::optional<net::ResponseHead> head;
  std::string body;
};

RestClient::RestClient(net::Transport& transport, runtime::Timers& timers, Credentials& credentials, Options options,
                       RequestObserver* observer)
    : transport_(transport),
      timers_(timers),
      credentials_(credentials),
      options_(std::move(options)),
      host_(HostIn(options_.server)),
      observer_(observer),
      limiter_(options_.qps, options_.burst),
      admission_(timers),
      self_(std::make_shared<RestClient*>(this)) {}

RestClient::~RestClient() {
  while (!calls_.empty()) Cancel(calls_.begin()->first);
}

RestClient::CallId RestClient::Send(RestRequest request, Done done) {
  auto call = std::make_shared<Call>(timers_, std::move(request), false);
  call->done = std::move(done);
  return Add(std::move(call));
}

RestClient::CallId RestClient::Stream(RestRequest request, net::Receiver receiver) {
  auto call = std::make_shared<Call>(timers_, std::move(request), true);
  call->receiver = std::move(receiver);
  return Add(std::move(call));
}

RestClient::CallId RestClient::Add(CallPtr call) {
  call->id = ++last_id_;
  call->sent_at = timers_.Now();
  calls_.emplace(call->id, call);
  Queue(*call);
  return call->id;
}

void RestClient::Cancel(CallId id) {
  CallPtr call = Take(id);
  if (!call) return;
  limiter_.Leave(id);
  call->timer.Stop();
  if (call->transport_call != 0) transport_.Cancel(call->transport_call);
}

void RestClient::Pause(CallId id, bool paused) {
  CallPtr call = Find(id);
  if (!call) return;
  call->paused = paused;
  if (call->transport_call != 0) transport_.Pause(call->transport_call, paused);
}

void RestClient::Queue(Call& call) {
  call.queued_at = timers_.Now();
  limiter_.Join(call.id);
  AdmitCalls();
}

void RestClient::AdmitCalls() {
  Time now = timers_.Now();
  while (std::optional<uint64_t> id = limiter_.Admit(now)) Authorize(*id);
  std::optional<Time> next = limiter_.NextAt(now);
  if (next && !admission_.is_running()) admission_.Start(*next - now, [this] { AdmitCalls(); });
}

void RestClient::Authorize(CallId id) {
  const Call& call = *Find(id);
  if (observer_) observer_->OnRateLimiterWait(Observed(call), timers_.Now() - call.queued_at, call.retry.reason());
  credentials_.Get([id, self = std::weak_ptr(self_)](Result<Authorization> authorization) {
    auto client = self.lock();
    if (client) (*client)->Try(id, std::move(authorization));
  });
}

void RestClient::Try(CallId id, Result<Authorization> authorization) {
  CallPtr call = Find(id);
  if (!call) return;
  if (!authorization) {
    // Later, since this may run inside Send.
    std::string cause = "getting credentials: " + authorization.error().message;
    call->timer.Start({}, [this, id, cause] { OnEnd(id, Fail(Code::kUnavailable, cause)); });
    return;
  }
  call->credentials_version = authorization->version;
  call->transport_call =
      transport_.Start(HttpRequest(call->request, std::move(authorization->headers)),
                       net::Receiver{
                           .on_head = [this, id](const net::ResponseHead& head) { OnHead(id, head); },
                           .on_body = [this, id](std::string_view piece) { OnBody(id, piece); },
                           .on_end = [this, id](Result<void> end) { OnEnd(id, std::move(end)); },
                       });
  if (call->paused) transport_.Pause(call->transport_call, true);
}

net::Request RestClient::HttpRequest(const RestRequest& request, std::vector<net::Header> headers) const {
  if (!request.accept.empty()) headers.push_back({"Accept", request.accept});
  if (!request.content_type.empty()) headers.push_back({"Content-Type", request.content_type});
  if (!options_.user_agent.empty()) headers.push_back({"User-Agent", options_.user_agent});
  return net::Request{request.method, Target(request), std::move(headers),
                      request.body,   request.timeout, request.urgent};
}

void RestClient::OnHead(CallId id, const net::ResponseHead& head) {
  CallPtr call = Find(id);
  if (!call) return;
  ObserveTry(*call, head.status);
  if (head.status == 401) credentials_.OnUnauthorized(call->credentials_version);
  call->head = head;
  if (call->is_stream && call->receiver.on_head) call->receiver.on_head(head);
}

void RestClient::OnBody(CallId id, std::string_view piece) {
  CallPtr call = Find(id);
  if (!call) return;
  if (!call->is_stream) {
    call->body += piece;
  } else if (call->receiver.on_body) {
    call->receiver.on_body(piece);
  }
}

void RestClient::OnEnd(CallId id, Result<void> end) {
  CallPtr call = Find(id);
  if (!call) return;
  call->transport_call = 0;
  if (end && !call->head) end = Fail(Code::kInternal, "EOF");
  if (!call->head) ObserveTry(*call, std::nullopt);

  if (call->is_stream) {
    Take(id);
    if (!end) end.error().message = Explain(*call, end.error().message);
    if (call->receiver.on_end) call->receiver.on_end(std::move(end));
    return;
  }
  std::optional<Duration> delay = call->retry.Next(call->request.method, call->head, end);
  if (!delay) return Finish(Take(id), std::move(end));
  call->head.reset();
  call->body.clear();
  call->timer.Start(*delay, [this, id] { Queue(*Find(id)); });
}

void RestClient::Finish(CallPtr call, Result<void> end) {
  bool is_ok = end && call->head->status >= 200 && call->head->status < 300;
  if (observer_) {
    observer_->OnDuration(Observed(*call), timers_.Now() - call->sent_at);
    if (end && (is_ok || !call->body.empty())) observer_->OnResponseSize(Observed(*call), call->body.size());
  }
  if (!end) {
    end.error().message = Explain(*call, end.error().message);
    return call->done(std::unexpected(std::move(end).error()));
  }
  RestAnswer answer;
  answer.status = call->head->status;
  answer.content_type = call->head->Find("Content-Type");
  answer.body = std::move(call->body);
  if (!is_ok) answer.asked_for = AskedFor(call->request.method, call->request.path);
  call->done(std::move(answer));
}

RestClient::CallPtr RestClient::Find(CallId id) const {
  auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second;
}

RestClient::CallPtr RestClient::Take(CallId id) {
  auto found = calls_.extract(id);
  return found.empty() ? nullptr : std::move(found.mapped());
}

std::string RestClient::Explain(const Call& call, std::string_view cause) const {
  if (call.is_stream && call.head) return std::string(cause);
  if (call.head) {
    return fmt::format("unexpected error when reading response body. Please retry. Original error: {}", cause);
  }
  std::string text =
      fmt::format("{} \"{}{}\": {}", Capitalized(call.request.method), options_.server, Target(call.request), cause);
  std::string_view previous = call.retry.PreviousCause(cause);
  if (!previous.empty()) text += fmt::format(" - error from a previous attempt: {}", previous);
  return text;
}

ObservedRequest RestClient::Observed(const Call& call) const { return {call.request.method, host_, call.request.path}; }

void RestClient::ObserveTry(const Call& call, std::optional<int> status) {
  if (!observer_) return;
  observer_->OnTry(Observed(call), status, call.retry.count() > 0);
  if (!call.is_stream) observer_->OnRequestSize(Observed(call), call.request.body.size());
}

}  // namespace berth::client
