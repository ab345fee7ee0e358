// SPDX-License-Identifier: Apache-2.0
// A reflector against a model of an API server that fails in every way it can: what is delivered must be, change by
// change, what happened on the server.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "client/request/test_network.h"
#include "client/watch/reflector.h"

namespace berth::client {
namespace {

using State = std::map<std::string, int>;  // Name to version.

struct Change {
  int version = 0;
  std::string type;
  std::string name;
};

// What has happened on the server. Version n is that of the n-th change.
struct History {
  State StateAt(int version) const {
    State state;
    for (const Change& change : changes) {
      if (change.version > version) break;
      if (change.type == "DELETED") {
        state.erase(change.name);
      } else {
        state[change.name] = change.version;
      }
    }
    return state;
  }
  int version() const { return static_cast<int>(changes.size()); }
  void Mutate(Random& random) {
    const std::string name(1, static_cast<char>('a' + random.Below(8)));
    const bool exists = StateAt(version()).contains(name);
    const bool remove = exists && random.Below(3) == 0;
    changes.push_back({version() + 1, remove ? "DELETED" : exists ? "MODIFIED" : "ADDED", name});
  }

  std::vector<Change> changes;
  int compacted = 0;  // What happened up to there is not known any more.
};

// Checks every delivery.
class Checker final : public ObjectSink, public ReflectorObserver {
 public:
  explicit Checker(const History& history) : history_(history) {}

  void Deliver(std::vector<Delivery> batch) override {
    for (const Delivery& delivery : batch) Check(delivery);
  }
  bool is_full() const override { return full; }
  void OnResourceVersion(const WatchedResource&, std::string_view version) override {
    version_ = std::stoi(std::string(version));
  }
  void OnList(const WatchedResource&, Duration, size_t) override {
    EXPECT_EQ(to_come_, 0);
    listed_ = history_.StateAt(version_);
    watched_ = version_;
    synced_ = true;
    State names = delivered;
    names.insert(listed_.begin(), listed_.end());
    for (const auto& [name, version] : names) to_come_ += Find(delivered, name) != Find(listed_, name) ? 1 : 0;
  }

  int version() const { return version_; }

  State delivered;
  bool full = false;

 private:
  static int Find(const State& state, const std::string& name) {
    const auto found = state.find(name);
    return found == state.end() ? 0 : found->second;
  }

  void Check(const Delivery& delivery) {
    Change change;
    if (const auto* put = std::get_if<scheduler::PutObject>(&delivery)) {
      const api::ObjectMeta& meta = api::MetaOf(put->object);
      change = {std::stoi(meta.resource_version), "PUT", meta.name};
      EXPECT_NE(Find(delivered, change.name), change.version) << "delivered twice";
      delivered[change.name] = change.version;
    } else {
      change = {0, "DELETED", std::get<scheduler::RemoveObject>(delivery).name};
      EXPECT_EQ(delivered.erase(change.name), 1u) << "removed twice";
    }
    if (!synced_) return;
    if (to_come_ > 0) {
      --to_come_;
      EXPECT_EQ(Find(listed_, change.name), change.version);
      return;
    }
    ASSERT_LT(watched_, history_.version());
    const Change& expected = history_.changes[static_cast<size_t>(watched_++)];
    EXPECT_EQ(change.name, expected.name);
    EXPECT_EQ(change.type == "DELETED", expected.type == "DELETED");
    if (change.version != 0) {
      EXPECT_EQ(change.version, expected.version) << "a change was lost or repeated";
    }
  }

  const History& history_;
  int version_ = 0;
  int watched_ = 0;  // The last change that came by the watch.
  State listed_;     // By the last list.
  int to_come_ = 0;  // Deliveries that are still due from it.
  bool synced_ = false;
};

std::string Object(const std::string& name, int version) {
  return fmt::format(R"({{"metadata":{{"name":"{}","resourceVersion":"{}"}}}})", name, version);
}

std::string Event(std::string_view type, std::string_view object) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, object);
}

std::string Bookmark(int version, bool is_end) {
  return Event(
      "BOOKMARK",
      fmt::format(R"({{"metadata":{{"resourceVersion":"{}","annotations":{{"k8s.io/initial-events-end":"{}"}}}}}})",
                  version, is_end));
}

std::string Status(int code, std::string_view reason) {
  return fmt::format(R"({{"kind":"Status","code":{},"reason":"{}","message":"no"}})", code, reason);
}

class ModelServer {
 public:
  ModelServer(TestTransport& transport, History& history, Random& random)
      : transport_(transport), history_(history), random_(random) {}

  // Goes on with every open call a little.
  void Step(bool faulty) {
    for (; known_ < transport_.started(); ++known_)
      open_[transport_.call(known_).id].target = transport_.call(known_).request.target;
    std::erase_if(open_, [&](const auto& entry) { return !transport_.is_open(entry.first); });
    for (auto& [id, call] : open_) {
      if (transport_.call(id - 1).paused) continue;
      if (faulty && random_.Below(12) == 0) {
        Fault(id, call);
      } else {
        Serve(id, call, faulty);
      }
    }
  }

 private:
  struct Call {
    std::string target;
    bool streaming = false;
    int version = 0;        // Of the last event in `bytes` or before.
    std::string bytes;      // Not sent yet.
    bool in_event = false;  // What was sent ends in the middle of one.
  };

  std::string Param(const Call& call, const std::string& name) const {
    for (const char before : {'?', '&'}) {
      const std::string key = before + name + "=";
      const size_t begin = call.target.find(key);
      if (begin == std::string::npos) continue;
      return call.target.substr(begin + key.size(), call.target.find('&', begin + 1) - begin - key.size());
    }
    return "";
  }
  int VersionParam(const Call& call) const {
    const std::string text = Param(call, "resourceVersion");
    return text.empty() ? -1 : std::stoi(text);
  }
  void Answer(uint64_t id, int status, const std::string& body) {
    transport_.Answer(id, status, body, {{"Content-Type", "application/json"}});
  }

  void Fault(uint64_t id, Call& call) {
    switch (random_.Below(6)) {
      case 0: return transport_.Fail(id, Code::kUnavailable, "refused");
      case 1: return transport_.Fail(id, Code::kInternal, "reset");
      case 2: return transport_.End(id);
      case 3: history_.compacted = history_.version(); return;
      default: break;
    }
    const bool expired = random_.Below(2) == 0;
    const std::string status = expired ? Status(410, "Expired") : Status(429, "TooManyRequests");
    if (!call.streaming) return Answer(id, expired ? 410 : 429, status);
    const std::string rest = call.in_event ? call.bytes.substr(0, call.bytes.find('\n') + 1) : "";
    transport_.Body(id, rest + Event("ERROR", status));
  }

  void Serve(uint64_t id, Call& call, bool faulty) {
    if (Param(call, "watch").empty()) return ServePage(id, call, faulty);
    if (!call.streaming) return Open(id, call, faulty);
    for (; call.version < history_.version(); ++call.version) {
      const Change& change = history_.changes[static_cast<size_t>(call.version)];
      call.bytes += Event(change.type, Object(change.name, change.version));
    }
    if (random_.Below(4) == 0) call.bytes += Bookmark(call.version, false);
    const size_t size = std::min<size_t>(call.bytes.size(), random_.Below(400));
    const std::string piece = call.bytes.substr(0, size);
    call.bytes.erase(0, size);
    if (size > 0) call.in_event = piece.back() != '\n';
    transport_.Body(id, piece);
  }

  // A list may come from a cache that lags behind, but not behind what was asked for.
  int SomeVersion(int at_least) {
    if (at_least < 0) return history_.version();
    return at_least + static_cast<int>(random_.Below(static_cast<uint64_t>(history_.version() - at_least) + 1));
  }

  void Open(uint64_t id, Call& call, bool faulty) {
    const int asked = VersionParam(call);
    const bool list = !Param(call, "sendInitialEvents").empty();
    if (list && faulty && random_.Below(3) == 0) return Answer(id, 422, Status(422, "Invalid"));
    if (!list && asked < history_.compacted) return Answer(id, 410, Status(410, "Expired"));
    call.streaming = true;
    call.version = list ? SomeVersion(asked) : asked;
    if (list) {
      for (const auto& [name, version] : history_.StateAt(call.version))
        call.bytes += Event("ADDED", Object(name, version));
      call.bytes += Bookmark(call.version, true);
    }
    transport_.Head(id, 200, {{"Content-Type", "application/json"}});
  }

  // Three objects on each page; the token is the version and how many were sent.
  void ServePage(uint64_t id, Call& call, bool faulty) {
    const std::string token = Param(call, "continue");
    const int version = token.empty() ? SomeVersion(VersionParam(call)) : std::stoi(token);
    if (!token.empty() && version < history_.compacted) return Answer(id, 410, Status(410, "Expired"));
    const bool paged = !Param(call, "limit").empty() && (faulty || !token.empty());
    size_t skip = token.empty() ? 0 : std::stoul(token.substr(token.find('-') + 1));
    std::vector<std::string> items;
    const State state = history_.StateAt(version);
    auto at = std::next(state.begin(), static_cast<std::ptrdiff_t>(skip));
    for (; at != state.end() && (!paged || items.size() < 3); ++at, ++skip)
      items.push_back(Object(at->first, at->second));
    const std::string next = at == state.end() ? "" : fmt::format("{}-{}", version, skip);
    Answer(id, 200,
           fmt::format(R"({{"metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})", version, next,
                       fmt::join(items, ",")));
  }

  TestTransport& transport_;
  History& history_;
  Random& random_;
  size_t known_ = 0;
  std::map<uint64_t, Call> open_;
};

void RunSeed(uint64_t seed) {
  Random random(seed);
  History history;
  TestTimers timers;
  TestTransport transport;
  ModelServer server(transport, history, random);
  const std::unique_ptr<Credentials> credentials = NoCredentials();
  RestClient client(transport, timers, *credentials, {"https://kube", "berth", 0, 0}, nullptr);
  Checker checker(history);
  Reflector reflector(client, timers, checker, checker, {"Node", "v1", "nodes", ""}, {.protobuf = true, .seed = seed},
                      {});
  int refreshes = 0;
  int refreshed = 0;
  reflector.Start();

  for (int step = 0; step < 400; ++step) {
    const bool faulty = step < 300;
    if (faulty && random.Below(2) == 0) history.Mutate(random);
    if (faulty && random.Below(40) == 0) {
      ++refreshes;
      reflector.Refresh([&, before = history.version()] {
        ++refreshed;
        EXPECT_GE(checker.version(), before);
      });
    }
    checker.full = faulty && random.Below(10) == 0;
    if (!checker.full) reflector.Resume();
    server.Step(faulty);
    timers.Advance(Milliseconds(static_cast<int64_t>(random.Below(faulty ? 2000 : 10'000))));
  }

  EXPECT_EQ(checker.delivered, history.StateAt(history.version()));
  EXPECT_EQ(refreshed, refreshes);
}

TEST(Reflector, DeliversWhatHappensOnAFailingServerChangeByChange) {
  for (uint64_t seed = 0; seed < 300 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RunSeed(seed);
  }
}

}  // namespace
}  // namespace berth::client
