// SPDX-License-Identifier: Apache-2.0
// RestClient: requests to a Kubernetes API server, as one client with one identity and one rate limit.
//
// It adds the user agent and credentials, keeps to its rate, and repeats what the server asks to repeat (an answer with
// Retry-After, up to ten times) and what certainly never reached the server, where upstream's client does so too.
//
// Thread: that of the transport and the timers, which are the same.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/access/credentials.h"
#include "client/request/rate_limiter.h"
#include "client/request/request_observer.h"
#include "net/transport.h"
#include "runtime/timers.h"

namespace berth::client {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

struct RestRequest {
  std::string method = "GET";
  std::string path;          // Such as /api/v1/namespaces/default/pods/web/binding; encoded.
  std::string query;         // Without the question mark; encoded.
  std::string content_type;  // Of the body.
  std::string accept = std::string(kJson);
  std::string body;
  Duration timeout{};   // Of one try; zero: none.
  bool urgent = false;  // See net::Request. It keeps to the rate all the same.
};

struct RestAnswer {
  int status = 0;
  std::string content_type;
  std::string body;
  std::string asked_for;  // Unless it is ok: method, resource and name, such as "get pods web". For ErrorOf.

  bool ok() const { return status >= 200 && status < 300; }
};

// What a server said instead of doing it: a metav1.Status, or what can be made of another answer.
struct ApiError {
  int status = 0;
  std::string reason;   // Such as AlreadyExists, Conflict, NotFound, Expired.
  std::string message;  // As upstream's client prints it.
};
ApiError ErrorOf(const RestAnswer& answer);

class RestClient {
 public:
  struct Options {
    std::string server;  // Such as https://10.0.0.1:6443/base, for errors and the observer.
    std::string user_agent;
    float qps = 50;  // Not positive: no limit.
    int32_t burst = 100;
  };
  using CallId = uint64_t;
  using Done = std::move_only_function<void(Result<RestAnswer>)>;

  // `observer` may be null. All must outlive the client.
  RestClient(net::Transport& transport, runtime::Timers& timers, Credentials& credentials, Options options,
             RequestObserver* observer);
  ~RestClient();
  RestClient(const RestClient&) = delete;
  RestClient& operator=(const RestClient&) = delete;

  // `done` is called once, unless the call is cancelled or the client goes, and never inside Send. An answer of any
  // status is an answer; an error means none came: Code::kUnavailable if the server certainly did not act on the
  // request.
  CallId Send(RestRequest request, Done done);

  // A long answer in pieces; it keeps to the rate but is not repeated.
  CallId Stream(RestRequest request, net::Receiver receiver);

  void Cancel(CallId call);
  void Pause(CallId call, bool paused);  // Of a stream.

 private:
  struct Call;
  using CallPtr = std::shared_ptr<Call>;  // Shared with the callback that is running, which may cancel its call.

  CallId Add(CallPtr call);
  void Queue(Call& call);
  void AdmitCalls();
  void Authorize(CallId id);
  void Try(CallId id, Result<Authorization> authorization);
  void OnHead(CallId id, const net::ResponseHead& head);
  void OnBody(CallId id, std::string_view piece);
  void OnEnd(CallId id, Result<void> end);
  void Finish(CallPtr call, Result<void> end);
  CallPtr Find(CallId id) const;
  CallPtr Take(CallId id);
  net::Request HttpRequest(const RestRequest& request, std::vector<net::Header> headers) const;
  std::string Explain(const Call& call, std::string_view cause) const;
  ObservedRequest Observed(const Call& call) const;
  void ObserveTry(const Call& call, std::optional<int> status);

  net::Transport& transport_;
  runtime::Timers& timers_;
  Credentials& credentials_;
  const Options options_;
  const std::string_view host_;  // In options_.server.
  RequestObserver* const observer_;
  RateLimiter limiter_;
  runtime::Timer admission_;
  std::map<CallId, CallPtr> calls_;
  CallId last_id_ = 0;
  std::shared_ptr<RestClient*> self_;  // Credentials may outlive the client and call back late.
};

}  // namespace berth::client
