// SPDX-License-Identifier: Apache-2.0
#include "net/http_parser.h"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <optional>
#include <utility>

#include "net/message_body.h"

namespace berth::net {

namespace {

namespace http = boost::beast::http;
using ErrorCode = boost::beast::error_code;
using boost::beast::string_view;

constexpr std::string_view View(string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct HttpParser::Impl {
  struct Step {
    size_t used = 0;
    bool stops = false;  // A message has ended, or the head of a request.
  };

  explicit Impl(ParserLimits parser_limits) : limits(parser_limits) {}
  virtual ~Impl() = default;
  virtual Result<Step> Put(std::string_view bytes) = 0;
  virtual Result<void> PutEnd() = 0;
  virtual bool is_started() const = 0;
  virtual bool is_in_body() const = 0;
  virtual Result<void> LimitBody(uint64_t bytes) = 0;

  ParserLimits limits;
  std::string pending;  // The beginning of a header or of a line of a chunked body.
  bool keep_alive = true;
  bool expect_no_body = false;
};

namespace {

Error ErrorOf(const ErrorCode& error) {
  if (error == http::error::header_limit) return {Code::kLimit, "the HTTP header is too large"};
  if (error == http::error::partial_message || error == http::error::end_of_stream)
    return {Code::kInternal, "unexpected EOF"};
  return {Code::kInvalid, "malformed HTTP message: " + error.message()};
}

// Beast reads one message with one parser, so each message gets its own.
template <bool kIsRequest>
class Message : public http::basic_parser<kIsRequest> {
 public:
  Message(const ParserLimits& limits, HttpParser::Events& events, bool no_body) : limits_(limits), events_(events) {
    this->header_limit(limits.header_bytes);
    this->body_limit(boost::none);  // Beast would count before the head is told.
    this->eager(!kIsRequest);
    if (no_body) this->skip(true);
  }

  bool is_interim() const { return is_interim_; }
  Result<void> LimitBody(uint64_t bytes) {
    body_->Limit(bytes);
    return body_->Announce(this->content_length().value_or(0));
  }
  std::optional<Error>& error() { return error_; }

 private:
  void on_request_impl(http::verb, string_view method, string_view target, int version, ErrorCode&) override {
    head_.method = View(method);
    head_.target = View(target);
    head_.is_http_1_0 = version == 10;
  }
  void on_response_impl(int status, string_view, int version, ErrorCode&) override {
    head_.status = status;
    head_.is_http_1_0 = version == 10;
  }
  void on_field_impl(http::field, string_view name, string_view value, ErrorCode&) override {
    head_.headers.emplace_back(std::string(View(name)), std::string(View(value)));
  }
  void on_header_impl(ErrorCode& error) override {
    is_interim_ = head_.status >= 100 && head_.status < 200;
    if (is_interim_) {
      // Switching protocols was never asked for, and what follows is not HTTP.
      if (head_.status == 101) error = http::error::bad_status;
      return;
    }
    body_.emplace(limits_, head_.headers, this->skip());
    events_.OnHead(std::move(head_));
    if (!this->skip()) Check(body_->Announce(this->content_length().value_or(0)), error);
  }
  void on_body_init_impl(const boost::optional<uint64_t>&, ErrorCode&) override {}
  size_t on_body_impl(string_view body, ErrorCode& error) override {
    Deliver(View(body), error);
    return body.size();
  }
  void on_chunk_header_impl(uint64_t, string_view, ErrorCode&) override {}
  size_t on_chunk_body_impl(uint64_t, string_view body, ErrorCode& error) override {
    Deliver(View(body), error);
    return body.size();
  }
  void on_finish_impl(ErrorCode& error) override {
    if (body_) Check(body_->Finish(), error);
  }

  void Deliver(std::string_view bytes, ErrorCode& error) {
    Check(body_->Feed(bytes, [this](std::string_view piece) { events_.OnBody(piece); }), error);
  }
  void Check(Result<void> result, ErrorCode& error) {
    if (result) return;
    error_ = std::move(result).error();
    error = http::error::bad_value;  // Any error; Put prefers mine.
  }

  ParserLimits limits_;
  HttpParser::Events& events_;
  MessageHead head_;
  std::optional<MessageBody> body_;  // Once the head is complete, unless that is an interim one.
  bool is_interim_ = false;
  std::optional<Error> error_;
};

template <bool kIsRequest>
struct ParserOf : HttpParser::Impl {
  ParserOf(ParserLimits parser_limits, HttpParser::Events& parser_events)
      : Impl(parser_limits), events(parser_events) {}

  Result<Step> Put(std::string_view bytes) override {
    Step step;
    while (step.used < bytes.size() && !step.stops) {
      const bool had_head = is_in_body();
      step.used += BERTH_TRY(PutSome(bytes.substr(step.used)));
      step.stops = kIsRequest && !had_head && is_in_body();
      if (step.stops) message->eager(true);
      if (!message->is_done()) break;
      const bool is_interim = message->is_interim();
      message.reset();
      if (is_interim) continue;
      step.stops = true;
      expect_no_body = false;
      events.OnEnd();
    }
    return step;
  }

  Result<size_t> PutSome(std::string_view bytes) {
    if (!message) message.emplace(limits, events, expect_no_body);
    ErrorCode error;
    const size_t used = message->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (message->error()) return std::unexpected(*std::move(message->error()));
    if (error && error != http::error::need_more) return std::unexpected(ErrorOf(error));
    if (message->is_header_done()) keep_alive = message->keep_alive();
    return used;
  }

  Result<void> PutEnd() override {
    if (!is_started()) return {};
    ErrorCode error;
    message->put_eof(error);
    if (message->error()) return std::unexpected(*std::move(message->error()));
    if (error) return std::unexpected(ErrorOf(error));
    keep_alive = false;
    message.reset();
    events.OnEnd();
    return {};
  }

  bool is_started() const override { return message && message->got_some(); }
  bool is_in_body() const override { return message && message->is_header_done(); }
  Result<void> LimitBody(uint64_t bytes) override { return is_in_body() ? message->LimitBody(bytes) : Result<void>(); }

  HttpParser::Events& events;
  std::optional<Message<kIsRequest>> message;
};

}  // namespace

HttpParser::HttpParser(Kind kind, ParserLimits limits, Events& events) {
  if (kind == Kind::kRequest) {
    impl_ = std::make_unique<ParserOf<true>>(limits, events);
  } else {
    impl_ = std::make_unique<ParserOf<false>>(limits, events);
  }
}

HttpParser::~HttpParser() = default;

void HttpParser::ExpectNoBody() { impl_->expect_no_body = true; }

Result<size_t> HttpParser::Feed(std::string_view bytes) {
  std::string& pending = impl_->pending;
  const size_t before = pending.size();
  if (before > 0) pending.append(bytes);
  const std::string_view input = before > 0 ? std::string_view(pending) : bytes;
  const Impl::Step step = BERTH_TRY(impl_->Put(input));
  if (step.stops) {
    pending.clear();
    return step.used - before;  // What was pending did not end anything, so it is used up.
  }
  if (input.size() - step.used > impl_->limits.header_bytes)
    return Fail(Code::kLimit, "a line of the HTTP body is too long");
  if (before > 0) {
    pending.erase(0, step.used);
  } else {
    pending.assign(input.substr(step.used));
  }
  return bytes.size();
}

Result<void> HttpParser::LimitBody(uint64_t bytes) { return impl_->LimitBody(bytes); }

Result<void> HttpParser::FeedEnd() { return impl_->PutEnd(); }

bool HttpParser::is_between_messages() const { return !impl_->is_started(); }
bool HttpParser::is_in_body() const { return impl_->is_in_body(); }
bool HttpParser::keep_alive() const { return impl_->keep_alive; }

}  // namespace berth::net
