// SPDX-License-Identifier: Apache-2.0
// Small fixed pieces of work whose instructions are counted: bench/instructions.py runs it below callgrind.
//
//   instructions NAME [PERCENT]   does a piece of work, or so much of it
//   instructions --list           the names

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode/decode.h"
#include "api/wire/encoded_object.h"
#include "api/wire/protobuf.h"
#include "api/wire/test_pod.h"
#include "cycle_workloads.h"
#include "runtime/test_timers.h"
#include "server/objects/bootstrap.h"
#include "server/rest/api_server.h"
#include "server/rest/test_exchange.h"

// What is counted is what is done in here.
extern "C" [[gnu::noinline]] void BerthCounted(const std::function<void()>& work) { work(); }

namespace berth::bench {
namespace {

constexpr int kNodes = 200;
constexpr int kPodsBefore = 2'000;
constexpr int kPods = 200;
constexpr int kRounds = 200;  // Of the short pieces of work.

[[noreturn]] void Fail(std::string_view why) {
  fmt::print(stderr, "instructions: {}\n", why);
  std::exit(1);
}

void Cycles(const Row& row) {
  const std::unique_ptr<scheduler::Core> core = MakeCore(kNodes);
  AddPods(*core, kNodes, kPodsBefore);
  std::vector<api::Pod> pods;
  const size_t count = row.name == "preempting" ? kPods / 4 : kPods;  // One takes as much as a dozen others.
  while (pods.size() < count) pods.push_back(row.make(static_cast<int>(pods.size()), kNodes).Build());
  size_t attempts = 0;
  BerthCounted([&] {
    for (const api::Pod& pod : pods) {
      Put(*core, pod);
      const std::vector<scheduler::IssuedEffect> effects = core->Step({kNow, scheduler::ScheduleNext{}});
      attempts += effects.empty() ? 0 : 1;
      Carry(*core, pod, effects);
    }
  });
  if (attempts != count) Fail("pods were not tried");
}

void Decode(bool protobuf, int rounds) {
  const api::wire::Kind& kind = *api::wire::FindKind("v1", "Pod");
  std::string bytes = api::wire::PodJson();
  if (protobuf) bytes = api::wire::ToProtobuf(api::ParseJson(bytes)->root()).value();
  BerthCounted([&] {
    for (int i = 0; i < rounds; ++i) {
      const auto document =
          protobuf ? api::wire::ParseProtobuf(bytes) : api::wire::ReadObject({api::wire::Encoding::kJson, bytes}, kind);
      if (!document || !api::DecodePod(document->root())) Fail("a pod was not read");
    }
  });
}

void Create() {
  server::Catalog catalog;
  runtime::TestTimers timers;
  server::Store store(catalog);
  server::Objects objects(catalog, store, timers, 1);
  server::ApiServer server(catalog, store, objects, timers, 1);
  server::CreateInitialObjects(objects, 6443);
  const auto answer = std::make_shared<server::MemoryAnswer>();
  BerthCounted([&] {
    for (int i = 0; i < kRounds; ++i) {
      net::ServerRequest request;
      request.method = "POST";
      request.target = "/api/v1/namespaces/default/pods";
      request.headers = {{"Accept", "application/json"}, {"Content-Type", "application/json"}};
      request.body = fmt::format(
          R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"web-{}","labels":{{"app":"web"}}}},"spec":{{"containers":)"
          R"([{{"name":"main","image":"web:1.7","ports":[{{"containerPort":8080}}],"resources":{{"requests":{{"cpu":"100m",)"
          R"("memory":"128Mi"}}}},"readinessProbe":{{"httpGet":{{"path":"/ready","port":8080}}}}}}]}}}})",
          i);
      server.Handle(std::move(request), std::make_unique<server::MemoryExchange>(answer));
      if (answer->status != 201) Fail(answer->body);
      answer->body.clear();
    }
  });
}

struct Piece {
  std::string name;
  std::function<void()> run;
};

std::vector<Piece> Pieces(int percent) {
  std::vector<Piece> pieces;
  for (const Row& row : Rows()) pieces.push_back({row.name, [&row] { Cycles(row); }});
  const int rounds = kRounds * percent / 100;
  pieces.push_back({"decode-protobuf", [=] { Decode(true, rounds); }});
  pieces.push_back({"decode-json", [=] { Decode(false, rounds); }});
  pieces.push_back({"create", Create});
  return pieces;
}

int Run(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : "--list";
  for (const Piece& piece : Pieces(argc > 2 ? std::atoi(argv[2]) : 100)) {
    if (wanted == "--list") fmt::print("{}\n", piece.name);
    if (wanted != piece.name) continue;
    piece.run();
    return 0;
  }
  if (wanted == "--list") return 0;
  Fail("no such piece of work");
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) { return berth::bench::Run(argc, argv); }
