// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "server/kinds/kinds.h"

namespace berth::server {
namespace {

void BM_DefaultAndValidatePod(benchmark::State& state) {
  const Json given = ParseTree(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default",
      "labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"nginx:1.25","ports":[{"containerPort":80}],
      "resources":{"requests":{"cpu":"100m","memory":"128Mi"},"limits":{"cpu":"200m","memory":"256Mi"}}}]}})")
                         .value();
  const auto strategy = MakePodStrategy();
  for (auto _ : state) {
    Json pod = given;
    strategy->Default(pod, true);
    strategy->PrepareCreate(pod);
    FieldErrors errors;
    strategy->Validate(pod, errors);
    benchmark::DoNotOptimize(errors.empty());
  }
}
BENCHMARK(BM_DefaultAndValidatePod);

}  // namespace
}  // namespace berth::server
