// SPDX-License-Identifier: Apache-2.0
// Any two configurations of a pod, applied one after the other by two managers: they are refused, or applying the
// second again changes nothing.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "server/patch/apply.h"

namespace {

using namespace berth::server;
namespace wire = berth::api::wire;

const wire::Message& PodMessage() { return wire::MessageAt(wire::FindKind("v1", "Pod")->message); }

Outcome<Json> Apply(const Json* live, const Json& config, std::string_view manager) {
  return ApplyConfig(
      live, config, PodMessage(),
      {.manager = manager, .api_version = "v1", .kind = "Pod", .subresource = {}, .now = {}, .force = true});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto tree = ParseTree({reinterpret_cast<const char*>(data), size});
  if (!tree || tree->size() != 2 || !tree->is_list()) return 0;
  for (Json& config : tree->mutable_items()) {
    config.Set("apiVersion", "v1");
    config.Set("kind", "Pod");
  }
  const auto live = Apply(nullptr, (*tree)[size_t{0}], "a");
  if (!live) return 0;
  const auto next = Apply(&*live, (*tree)[size_t{1}], "b");
  if (!next) return 0;
  const auto again = Apply(&*next, (*tree)[size_t{1}], "b");
  BERTH_ASSERT(again && *again == *next);
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"([{"metadata":{"name":"x","labels":{"a":"b"}},"spec":{"containers":[{"name":"c","ports":[{"containerPort":80}]}]}},)"
    R"({"metadata":{"labels":null},"spec":{"containers":[{"name":"d"},{"name":"c","ports":[{"containerPort":80,)"
    R"("protocol":"TCP"},{"containerPort":81}]}]}}])",
    R"([{"metadata":{"finalizers":["a","b"]}},{"metadata":{"finalizers":["b","c","a"]},"spec":{"tolerations":[{}]}}])",
    nullptr,
};
