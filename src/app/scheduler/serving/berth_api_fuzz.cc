// SPDX-License-Identifier: Apache-2.0
// Whatever is asked under /berth/v1/ is answered once, with a status that says whose mistake it is: never the server's.
//
// An input is the method and the target on one line, and the body after it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "app/scheduler/serving/berth_api.h"
#include "base/assert.h"
#include "base/text.h"
#include "config/config.h"
#include "explain/answer.h"
#include "plugins/registry.h"
#include "record/settings.h"
#include "runtime/agenda.h"
#include "world/manifests.h"

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "GET /berth/v1/explain/pods/default/a?whyNot=n1&nodes=true&output=text\n",
    "GET /berth/v1/queue?limit=10&output=json\n",
    "GET /berth/v1/openapi\n",
    "POST /berth/v1/plan\n"
    R"({"objects":[{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"w"},"spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}]})",
    "POST /berth/v1/what-if\n"
    R"({"changes":[{"addNodes":{"count":2,"like":"n1"}},{"cordon":{"names":["n1"]}},{"label":{"selector":"a","labels":{"k":"v","z":null}}}]})",
    "POST /berth/v1/what-if\n"
    R"({"changes":[{"taint":{"names":["n1"],"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]}},{"removeNodes":{"names":["n1"]}}]})",
    "POST /berth/v1/what-if\n"
    R"({"changes":[{"patch":{"kind":"Node","name":"n1","patch":{"spec":{"unschedulable":true}}}},{"delete":{"kind":"Pod","name":"a"}}]})",
    "POST /berth/v1/capacity\n"
    R"({"pods":[{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}}],"limit":3})",
    "POST /berth/v1/counterfactuals\n"
    R"({"namespace":"default","name":"a"})",
    "POST /berth/v1/what-if\n"
    R"({"changes":[{"help":{"namespace":"default","name":"a","text":"lower the request of cpu from 4 to 2","alike":true}}]})",
    nullptr};

namespace berth {
namespace {

// A node, a pod that is tried, and nothing that moves.
struct Small {
  framework::FeatureGates gates;
  std::unique_ptr<scheduler::Core> core =
      record::MakeCore({config::Default(gates), gates, {}, Time{}}, plugins::BuiltIn()).value();
  Time now;

  Small() {
    world::Manifests manifests;
    constexpr std::string_view kYaml =
        "{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {a: b}}, status: {allocatable: {cpu: 2, memory: "
        "4Gi, "
        "pods: 10}}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: i, "
        "resources: {requests: {cpu: 4}}}]}}\n";
    explain::Unhindered pacer;
    explain::Surroundings surroundings(*core, gates, Time{}, explain::Surroundings::Past::kNone);
    BERTH_ASSERT(manifests.Add(kYaml, "cluster") && surroundings.FillFrom(manifests) && surroundings.Settle(pacer));
    now = surroundings.now();
  }
};

class ShortPatience final : public explain::Pacer {
 public:
  Result<void> Pause() override {
    if (left_-- > 0) return {};
    return Fail(Code::kDeadline, "the question takes too long");
  }

 private:
  int left_ = 1000;
};

scheduler_app::BerthApi::CoreAccess AccessToSmall(const Small& small) {
  return {
      .ask = [&small](auto question, auto done) { done(question(*small.core)); },
      .ask_copy = [&small](std::string kind, std::string body, auto done) -> Result<scheduler_app::BerthApi::Asker> {
        const std::unique_ptr<scheduler::Core> copy = small.core->Copy();
        ShortPatience patience;
        done(explain::Answer(kind, {*copy, small.gates, small.now}, body, patience));
        return std::make_shared<int>();
      }};
}

}  // namespace
}  // namespace berth

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth;
  static const Small small;
  std::string_view body(reinterpret_cast<const char*>(data), size);
  std::string_view line = TakeUntil(body, '\n');
  net::ServerRequest request{.method = std::string(TakeUntil(line, ' ')),
                             .target = std::string(line),
                             .headers = {},
                             .body = {},
                             .peer_address = {},
                             .peer_certificate = {}};
  if (!scheduler_app::ParseTarget(request.target).path.starts_with(scheduler_app::kBerthApiRoot)) return 0;
  runtime::Agenda agenda(small.now);
  scheduler_app::BerthApi api(agenda, AccessToSmall(small));
  int answers = 0;
  api.Handle(request,
             {.read_body = [&](uint64_t, scheduler_app::Peer::OnBody done) { done(std::string(body)); },
              .on_gone = [](std::move_only_function<void()>) {}},
             [&](const scheduler_app::Answer& answer) {
               constexpr std::array<int, 5> kExpected = {200, 400, 404, 405, 504};
               BERTH_ASSERT(std::ranges::find(kExpected, answer.status) != kExpected.end());
               BERTH_ASSERT(!answer.body.empty());
               ++answers;
             });
  BERTH_ASSERT(answers == 1 && agenda.empty());
  return 0;
}
