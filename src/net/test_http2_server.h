// SPDX-License-Identifier: Apache-2.0
// A server that speaks HTTP/2 over TLS and does what a test tells it, good or bad.

#pragma once

#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/self_signed.h"
#include "net/test_loopback.h"
#include "net/test_raw_peer.h"
#include "net/x509.h"

namespace berth::net {

// One connection: the requests that came, and answers to them.
class Http2Peer {
 public:
  struct Stream {
    std::map<std::string, std::string> fields;
    std::string body;
    std::string answer;  // Not sent yet.
    bool ends = false;
    bool is_answered = false;
    bool was_reset = false;
  };
  using OnRequest = std::function<void(Http2Peer&, int32_t)>;

  Http2Peer(RawPeer& peer, uint32_t streams_max, OnRequest on_request)
      : peer_(peer), on_request_(std::move(on_request)) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    SetCallbacks(callbacks);
    nghttp2_session_server_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry limit{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams_max};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &limit, 1);
  }
  ~Http2Peer() { nghttp2_session_del(session_); }
  Http2Peer(const Http2Peer&) = delete;
  Http2Peer& operator=(const Http2Peer&) = delete;

  void Feed(const std::string& bytes) {
    ++pieces;
    nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    Flush();
  }

  void Answer(int32_t id, const std::vector<std::pair<std::string, std::string>>& fields, std::string body,
              bool ends = true) {
    std::vector<nghttp2_nv> list;
    for (const auto& [name, value] : fields) {
      const auto bytes = [](const std::string& text) {
        return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
      };
      list.push_back({bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    Stream& stream = streams[id];
    stream.answer = std::move(body);
    stream.ends = ends;
    stream.is_answered = true;
    nghttp2_data_provider provider = {};
    provider.read_callback = [](nghttp2_session*, int32_t of, uint8_t* buffer, size_t size, uint32_t* flags,
                                nghttp2_data_source*, void* user) -> ssize_t {
      Stream& sent = static_cast<Http2Peer*>(user)->streams[of];
      const size_t count = sent.answer.copy(reinterpret_cast<char*>(buffer), size);
      sent.answer.erase(0, count);
      if (sent.answer.empty() && sent.ends) *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (count == 0 && !sent.ends) return NGHTTP2_ERR_DEFERRED;
      return static_cast<ssize_t>(count);
    };
    nghttp2_submit_response(session_, id, list.data(), list.size(), &provider);
    Flush();
  }
  void Ok(int32_t id, std::string body, bool ends = true) { Answer(id, {{":status", "200"}}, std::move(body), ends); }
  void More(int32_t id, const std::string& body, bool ends) {
    streams[id].answer += body;
    streams[id].ends = ends;
    nghttp2_session_resume_data(session_, id);
    Flush();
  }
  void Refuse(int32_t id, uint32_t code) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, code);
    Flush();
  }
  void SayGoodbye(int32_t last) {
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0);
    Flush();
  }
  RawPeer& raw() { return peer_; }

  std::map<int32_t, Stream> streams;
  int pieces = 0;  // In which the bytes of the client came.

 private:
  static Http2Peer& Of(void* user) { return *static_cast<Http2Peer*>(user); }
  static void SetCallbacks(nghttp2_session_callbacks* callbacks) {
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user) {
          Of(user).streams[frame->hd.stream_id].fields[{reinterpret_cast<const char*>(name), name_size}] = {
              reinterpret_cast<const char*>(value), value_size};
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, uint8_t, int32_t stream, const uint8_t* data, size_t size, void* user) {
          Of(user).streams[stream].body.append(reinterpret_cast<const char*>(data), size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
          if (frame->hd.type == NGHTTP2_RST_STREAM) Of(user).streams[frame->hd.stream_id].was_reset = true;
          const bool is_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
          if (is_request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
            Of(user).on_request_(Of(user), frame->hd.stream_id);
          }
          return 0;
        });
  }
  void Flush() {
    const uint8_t* data = nullptr;
    std::string output;
    for (ssize_t size = 0; (size = nghttp2_session_mem_send(session_, &data)) > 0;) {
      output.append(reinterpret_cast<const char*>(data), static_cast<size_t>(size));
    }
    if (!output.empty()) peer_.socket().Write(std::move(output));
  }

  RawPeer& peer_;
  OnRequest on_request_;
  nghttp2_session* session_ = nullptr;
};

// A server and a client of it on one loop.
struct Http2World : Loopback {
  explicit Http2World(Http2Peer::OnRequest on_request_) : on_request(std::move(on_request_)) {
    const KeyPair pair = *MakeSelfSigned("server", {"127.0.0.1"}, loop.Now());
    TlsServerOptions options;
    options.certificate_pem = pair.certificate_pem;
    options.key_pem = pair.key_pem;
    server.tls = *TlsContext::ForServer(options);
    ChooseHttp2(*server.tls);
    server.on_data = [this](RawPeer& peer) {
      std::unique_ptr<Http2Peer>& known = peers[&peer];
      if (known == nullptr) known = std::make_unique<Http2Peer>(peer, streams_max, on_request);
      known->Feed(std::exchange(peer.received, {}));
    };
  }

  // The servers of this module speak HTTP/1.1 only.
  static void ChooseHttp2(const TlsContext& context) {
    const OwnedConnection connection(context.NewConnection(""));
    SSL_CTX_set_alpn_select_cb(
        SSL_get_SSL_CTX(connection.get()),
        [](SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char*, unsigned int, void*) {
          *out = reinterpret_cast<const unsigned char*>("h2");
          *out_size = 2;
          return SSL_TLSEXT_ERR_OK;
        },
        nullptr);
  }

  std::unique_ptr<HttpClient> MakeClient(HttpClientOptions options = {}) {
    options.endpoint.scheme = "https";
    options.endpoint.host = "127.0.0.1";
    options.endpoint.port = server.port;
    options.tls.insecure_skip_verify = true;
    return *HttpClient::Create(loop, std::move(options));
  }

  uint32_t streams_max = 100;
  Http2Peer::OnRequest on_request;
  RawServer server{loop};
  std::map<RawPeer*, std::unique_ptr<Http2Peer>> peers;
};

}  // namespace berth::net
