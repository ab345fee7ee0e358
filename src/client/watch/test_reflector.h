// SPDX-License-Identifier: Apache-2.0
// Bench: a reflector of nodes with a server that answers as the test says, and what such a server sends.

#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/request/test_network.h"
#include "client/watch/reflector.h"

// Of its own, as other tests have benches, too.
namespace berth::client::reflector_test {

// Writes down what is delivered.
class Sink final : public ObjectSink {
 public:
  void Deliver(std::vector<Delivery> batch) override {
    for (const Delivery& delivery : batch) lines.push_back(Describe(delivery));
  }
  bool is_full() const override { return full; }
  std::vector<std::string> Take() { return std::exchange(lines, {}); }

  bool full = false;
  std::vector<std::string> lines;

 private:
  static std::string Describe(const Delivery& delivery) {
    if (const auto* put = std::get_if<scheduler::PutObject>(&delivery)) {
      const api::ObjectMeta& meta = api::MetaOf(put->object);
      const auto* node = std::get_if<api::Node>(&put->object);
      const std::string source = node != nullptr && node->source != nullptr ? " with its source" : "";
      return fmt::format("put {}@{}{}", meta.name, meta.resource_version, source);
    }
    const auto& removal = std::get<scheduler::RemoveObject>(delivery);
    return fmt::format("{} {} {}", removal.final_state_unknown ? "vanished" : "removed", removal.kind, removal.name);
  }
};

class Log final : public ReflectorObserver {
 public:
  void OnList(const WatchedResource&, Duration, size_t items) override { lists.push_back(items); }
  void OnWatch(const WatchedResource&, Duration, size_t events) override { watches.push_back(events); }
  void OnResourceVersion(const WatchedResource&, std::string_view version) override { resource_version = version; }
  void OnSkipped(const WatchedResource&, const std::string& why) override { skipped.push_back(why); }
  void OnSourceMissing(const WatchedResource&, const std::string& why) override { sourceless.push_back(why); }
  void OnUnreachable(const WatchedResource&, const std::string& message) override { failures.push_back(message); }
  void OnFailure(const WatchedResource&, const std::string& message) override { failures.push_back(message); }

  std::vector<size_t> lists;
  std::vector<size_t> watches;
  std::string resource_version;
  std::vector<std::string> skipped;
  std::vector<std::string> sourceless;
  std::vector<std::string> failures;
};

inline const WatchedResource kNodes = {"Node", "v1", "nodes", ""};

inline std::string Node(std::string_view name, int version) {
  return fmt::format(R"({{"metadata":{{"name":"{}","resourceVersion":"{}"}}}})", name, version);
}

inline std::string Event(std::string_view type, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}

inline std::string Added(std::string_view name, int version) { return Event("ADDED", Node(name, version)); }

inline std::string Bookmark(int version) {
  return Event("BOOKMARK", fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}}}})", version));
}

inline std::string InitialEnd(int version) {
  constexpr std::string_view kEnd =
      R"({{"metadata":{{"resourceVersion":"{}","annotations":{{"k8s.io/initial-events-end":"true"}}}}}})";
  return Event("BOOKMARK", fmt::format(kEnd, version));
}

inline std::string Status(int code, std::string_view reason, std::string_view message = "because") {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","status":"Failure","code":{},"reason":"{}","message":"{}"}})", code,
      reason, message);
}

inline std::string Page(int version, std::vector<std::string> items, std::string_view next = "") {
  return fmt::format(R"({{"kind":"NodeList","metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})",
                     version, next, fmt::join(items, ","));
}

struct Bench {
  explicit Bench(WatchedResource resource = kNodes, Reflector::Options options = {})
      : client(transport, timers, *credentials, {"https://kube", "berth", 0, 0}, nullptr),
        reflector(client, timers, sink, log, std::move(resource), options, [this] { ++synced; }) {}

  // A reflector that has listed nodes a@1 and b@2 and watches from 10 on.
  static std::unique_ptr<Bench> Watching() {
    auto bench = std::make_unique<Bench>();
    bench->reflector.Start();
    bench->OpenStream();
    bench->Send(Added("a", 1) + Added("b", 2) + InitialEnd(10));
    EXPECT_EQ(bench->synced, 1);
    bench->sink.Take();
    return bench;
  }

  net::Transport::CallId call() const { return transport.last().id; }
  std::string target() const { return transport.last().request.target; }
  // The last request, without what is random.
  std::string Target() const {
    std::string text = target();
    const size_t begin = text.find("timeoutSeconds=");
    if (begin != std::string::npos) text.replace(begin, text.find('&', begin) - begin, "timeoutSeconds=T");
    return text;
  }
  void OpenStream() { transport.Head(call(), 200, {{"Content-Type", "application/json"}}); }
  void Send(std::string_view bytes) { transport.Body(call(), bytes); }
  void Answer(int status, std::string_view body) {
    transport.Answer(call(), status, body, {{"Content-Type", "application/json"}});
  }
  // True if a request is made within `limit`, and not before `least`.
  bool AsksAgain(Duration least, Duration limit) {
    const size_t before = transport.started();
    timers.Advance(least - Duration{1});
    if (transport.started() != before) return false;
    timers.Advance(limit - least + Duration{1});
    return transport.started() == before + 1;
  }

  TestTimers timers;
  TestTransport transport;
  std::unique_ptr<Credentials> credentials = NoCredentials();
  RestClient client;
  Sink sink;
  Log log;
  int synced = 0;
  Reflector reflector;
};

inline constexpr std::string_view kStreamingList =
    "/api/v1/nodes?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=T&"
    "watch=true";

inline std::string StreamingListFrom(int version) {
  return fmt::format(
      "/api/v1/nodes?allowWatchBookmarks=true&resourceVersion={}&resourceVersionMatch=NotOlderThan&"
      "sendInitialEvents=true&timeoutSeconds=T&watch=true",
      version);
}

inline std::string WatchFrom(int version) {
  return fmt::format("/api/v1/nodes?allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds=T&watch=true", version);
}

}  // namespace berth::client::reflector_test
