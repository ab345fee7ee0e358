// SPDX-License-Identifier: Apache-2.0
#include "net/http2_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/assert.h"
#include "net/header.h"
#include "net/message_body.h"

namespace berth::net {
namespace {

constexpr int32_t kConnectionWindow = 16 << 20;
constexpr uint32_t kStreamsMax = 100;  // Until the server says less: what kube-apiserver allows.

std::string_view View(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// The views must outlive the request that is made of it.
nghttp2_nv FieldOf(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));  // Only read from.
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// Fields that speak of a connection of HTTP/1.1, or that are told otherwise here.
bool IsLeftOut(std::string_view name) {
  return name == "host" || name == "connection" || name == "keep-alive" || name == "transfer-encoding" ||
         name == "upgrade" || name == "content-length";
}

Error StreamError(Http2Session::StreamId stream, uint32_t code) {
  const bool is_untouched = code == NGHTTP2_REFUSED_STREAM;
  return {is_untouched ? Code::kUnavailable : Code::kInternal,
          fmt::format("stream error: stream ID {}; {}; received from peer", stream, nghttp2_http2_strerror(code))};
}

}  // namespace

struct Http2Session::Impl {
  struct Stream {
    std::string_view body;  // Of the request: what is not sent yet.
    bool is_head_request = false;
    ResponseHead head;
    size_t header_bytes = 0;
    bool has_head = false;
    bool paused = false;
    size_t held = 0;                       // Bytes that came while it was paused.
    std::shared_ptr<MessageBody> content;  // Of the answer, once it has begun. Shared: an event may end the stream.
    std::optional<Error> error;            // What is wrong with the answer.
  };

  Impl(const ParserLimits& parser_limits, Events& session_events) : limits(parser_limits), events(session_events) {}
  ~Impl() { nghttp2_session_del(session); }

  const ParserLimits limits;
  Events& events;
  nghttp2_session* session = nullptr;
  std::unordered_map<StreamId, Stream> streams;
  bool is_ending = false;  // The server has said goodbye.

  Stream* Find(StreamId id) {
    const auto found = streams.find(id);
    return found == streams.end() ? nullptr : &found->second;
  }

  // The answer is of no use.
  void Refuse(StreamId id, Stream& stream, Error error) {
    stream.error = std::move(error);
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }

  void OnField(StreamId id, std::string_view name, std::string_view value) {
    Stream* const stream = Find(id);
    if (stream == nullptr || stream->error || stream->has_head) return;  // The last: trailers.
    stream->header_bytes += name.size() + value.size();
    if (stream->header_bytes > limits.header_bytes) {
      return Refuse(id, *stream, {Code::kLimit, "the HTTP header is too large"});
    }
    if (name == ":status") {
      stream->head.status = 0;
      for (const char c : value) stream->head.status = stream->head.status * 10 + (c - '0');  // Three digits.
    } else {
      stream->head.headers.push_back({std::string(name), std::string(value)});
    }
  }

  void OnFields(StreamId id) {
    Stream* const stream = Find(id);
    if (stream == nullptr || stream->error || stream->has_head) return;
    if (stream->head.status < 200) {
      stream->head = {};
      return;
    }
    stream->has_head = true;
    stream->content = std::make_shared<MessageBody>(limits, stream->head.headers, stream->is_head_request);
    events.OnHead(id, std::move(stream->head));
  }

  void OnData(StreamId id, std::string_view bytes) {
    nghttp2_session_consume_connection(session, bytes.size());
    Stream* const stream = Find(id);
    if (stream == nullptr || stream->error || !stream->content) return;
    const std::shared_ptr<MessageBody> content = stream->content;
    auto fed = content->Feed(bytes, [&](std::string_view piece) {
      if (streams.contains(id)) events.OnBody(id, piece);
    });
    Stream* const left = Find(id);
    if (left == nullptr) return;
    if (!fed) return Refuse(id, *left, std::move(fed).error());
    if (left->paused) {
      left->held += bytes.size();
    } else {
      nghttp2_session_consume_stream(session, id, bytes.size());
    }
  }

  void OnClose(StreamId id, uint32_t code) {
    auto node = streams.extract(id);
    if (node.empty()) return;
    Stream& stream = node.mapped();
    Result<void> end;
    if (stream.error) {
      end = std::unexpected(*std::move(stream.error));
    } else if (code != NGHTTP2_NO_ERROR) {
      end = std::unexpected(StreamError(id, code));
    } else if (!stream.has_head) {
      end = Fail(Code::kInternal, "EOF");
    } else {
      end = stream.content->Finish();
    }
    events.OnStreamEnd(id, std::move(end));
  }

  // Fills in what is to be sent of the body.
  ssize_t Read(StreamId id, uint8_t* buffer, size_t size, uint32_t& flags) {
    Stream* const stream = Find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // It was reset.
    const size_t count = stream->body.copy(reinterpret_cast<char*>(buffer), size);
    stream->body.remove_prefix(count);
    if (stream->body.empty()) flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  static Impl& Of(void* user) { return *static_cast<Impl*>(user); }

  void SetCallbacks(nghttp2_session_callbacks* callbacks);
  void Open();
};

void Http2Session::Impl::SetCallbacks(nghttp2_session_callbacks* callbacks) {
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t, void* user) {
        Of(user).OnField(frame->hd.stream_id, View(name, name_size), View(value, value_size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks,
                                                       [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
                                                         if (frame->hd.type == NGHTTP2_HEADERS)
                                                           Of(user).OnFields(frame->hd.stream_id);
                                                         if (frame->hd.type == NGHTTP2_GOAWAY)
                                                           Of(user).is_ending = true;
                                                         return 0;
                                                       });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks, [](nghttp2_session*, uint8_t, int32_t stream, const uint8_t* data, size_t size, void* user) {
        Of(user).OnData(stream, View(data, size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, int32_t stream, uint32_t code, void* user) {
        Of(user).OnClose(stream, code);
        return 0;
      });
}

void Http2Session::Impl::Open() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  BERTH_ASSERT(nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0);
  SetCallbacks(callbacks);
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_peer_max_concurrent_streams(option, kStreamsMax);
  BERTH_ASSERT(nghttp2_session_client_new2(&session, callbacks, this, option) == 0);
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_option_del(option);
  const std::array<nghttp2_settings_entry, 2> settings = {
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindow}}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Http2Session::Http2Session(const ParserLimits& limits, Events& events) : impl_(std::make_unique<Impl>(limits, events)) {
  impl_->Open();
}

Http2Session::~Http2Session() = default;

Result<Http2Session::StreamId> Http2Session::Start(const Request& request, const std::string& authority,
                                                   const std::string& path) {
  const std::string target = path + request.target;
  const std::string_view host = FindHeader(request.headers, "host");
  const std::string length = std::to_string(request.body.size());
  std::vector<std::string> names;
  names.reserve(request.headers.size());
  std::vector<nghttp2_nv> fields = {FieldOf(":method", request.method), FieldOf(":scheme", "https"),
                                    FieldOf(":authority", host.empty() ? authority : host), FieldOf(":path", target)};
  for (const Header& header : request.headers) {
    const std::string& name = names.emplace_back(Lower(header.name));
    if (!IsLeftOut(name)) fields.push_back(FieldOf(name, header.value));
  }
  const bool has_body = !request.body.empty();
  if (has_body || (request.method != "GET" && request.method != "HEAD")) {
    fields.push_back(FieldOf("content-length", length));
  }
  nghttp2_data_provider body = {};
  body.read_callback = [](nghttp2_session*, int32_t stream, uint8_t* buffer, size_t size, uint32_t* flags,
                          nghttp2_data_source*,
                          void* user) { return Impl::Of(user).Read(stream, buffer, size, *flags); };
  const StreamId stream = nghttp2_submit_request(impl_->session, nullptr, fields.data(), fields.size(),
                                                 has_body ? &body : nullptr, nullptr);
  if (stream < 0) return Fail(Code::kUnavailable, fmt::format("http2: {}", nghttp2_strerror(stream)));
  Impl::Stream& started = impl_->streams[stream];
  started.body = request.body;
  started.is_head_request = request.method == "HEAD";
  return stream;
}

void Http2Session::Reset(StreamId stream) {
  if (impl_->streams.erase(stream) == 0) return;
  nghttp2_submit_rst_stream(impl_->session, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
}

void Http2Session::Pause(StreamId stream, bool paused) {
  Impl::Stream* const found = impl_->Find(stream);
  if (found == nullptr) return;
  found->paused = paused;
  if (!paused) nghttp2_session_consume_stream(impl_->session, stream, std::exchange(found->held, 0));
}

void Http2Session::Ping() { nghttp2_submit_ping(impl_->session, NGHTTP2_FLAG_NONE, nullptr); }

Result<void> Http2Session::Feed(std::string_view bytes) {
  const ssize_t used =
      nghttp2_session_mem_recv(impl_->session, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (used < 0) return Fail(Code::kInvalid, fmt::format("http2: {}", nghttp2_strerror(static_cast<int>(used))));
  // The server broke the rules, and is told so by the last frame.
  if (nghttp2_session_want_read(impl_->session) == 0) return Fail(Code::kInternal, "http2: the connection is over");
  return {};
}

std::string Http2Session::TakeOutput() {
  std::string output;
  const uint8_t* data = nullptr;
  for (ssize_t size = 0; (size = nghttp2_session_mem_send(impl_->session, &data)) > 0;) {
    output.append(View(data, static_cast<size_t>(size)));
  }
  return output;
}

size_t Http2Session::room() const {
  if (impl_->is_ending || nghttp2_session_check_request_allowed(impl_->session) == 0) return 0;
  const uint32_t allowed = std::min(
      kStreamsMax, nghttp2_session_get_remote_settings(impl_->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS));
  return allowed - std::min<size_t>(allowed, impl_->streams.size());
}

size_t Http2Session::streams() const { return impl_->streams.size(); }

}  // namespace berth::net
