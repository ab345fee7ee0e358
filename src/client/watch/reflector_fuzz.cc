// SPDX-License-Identifier: Apache-2.0
// Any bytes in a watch: a reflector takes them in pieces of any size, never delivers a version twice in a row and can
// be stopped at the end.

#include <cstddef>
#include <cstdint>
#include <map>

#include "base/assert.h"
#include "client/request/test_network.h"
#include "client/watch/reflector.h"

namespace {

using namespace berth;
using namespace berth::client;

class Sink final : public ObjectSink {
 public:
  void Deliver(std::vector<Delivery> batch) override {
    for (const Delivery& delivery : batch) {
      if (const auto* put = std::get_if<scheduler::PutObject>(&delivery)) {
        const api::ObjectMeta& meta = api::MetaOf(put->object);
        std::string& version = versions_[meta.ns + "/" + meta.name];
        BERTH_ASSERT(version.empty() || version != meta.resource_version);
        version = meta.resource_version;
      } else {
        const auto& removal = std::get<scheduler::RemoveObject>(delivery);
        BERTH_ASSERT(versions_.erase(removal.ns + "/" + removal.name) == 1);
      }
    }
  }
  bool is_full() const override { return false; }

 private:
  std::map<std::string, std::string> versions_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t piece = size_t{data[0]} + 1;
  TestTimers timers;
  TestTransport transport;
  const std::unique_ptr<Credentials> credentials = NoCredentials();
  RestClient client(transport, timers, *credentials, {"https://kube", "berth", 0, 0}, nullptr);
  Sink sink;
  ReflectorObserver observer;
  Reflector reflector(client, timers, sink, observer, {"Node", "v1", "nodes", ""}, {}, {});
  reflector.Start();
  const char* const type = data[1] % 2 == 0 ? "application/json" : "application/vnd.kubernetes.protobuf;stream=watch";
  for (size_t at = 0; at < bytes.size(); at += piece) {
    // After an error the rest goes to the next stream.
    if (transport.open() == 0) timers.Advance(Minutes(1));
    const auto call = transport.last().id;
    transport.Head(call, 200, {{"Content-Type", type}});
    transport.Body(call, bytes.substr(at, piece));
  }
  reflector.Stop();
  BERTH_ASSERT(timers.pending() == 0);
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "\x20 "
    R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}})"
    R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}})"
    R"({"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"6"},"spec":{"taints":[{"key":"k"}]}}})"
    R"({"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"7"}}})",
    "\x7f "
    R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}})"
    R"({"type":"ADDED","object":{"metadata":{"name":"b","namespace":"n"},"spec":{"taints":"x"}}})",
    "\x7f "
    R"({"metadata":{"resourceVersion":"9","continue":"x"},"items":[{"metadata":{"name":"c","resourceVersion":"2"}}]})",
    nullptr,
};
