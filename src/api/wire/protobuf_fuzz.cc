// SPDX-License-Identifier: Apache-2.0
// Any bytes: the protobuf codec refuses them, or makes a tree that survives being written and read again.
//
// An input is either bytes as they come or a JSON object and, behind a line end, edits of the protobuf that is made of
// it: two bytes say where and one what, so that mutations of a text reach deep into messages.

#include <cstddef>
#include <cstdint>
#include <string>

#include "api/document/value.h"
#include "api/wire/protobuf.h"
#include "base/assert.h"

namespace {

using berth::api::Value;
namespace wire = berth::api::wire;

// What was written once is canonical, so from then on nothing may change.
void CheckWritten(const std::string& bytes) {
  const auto tree = wire::ParseProtobuf(bytes);
  BERTH_ASSERT(tree);
  const std::string json = tree->root().ToJson();
  const auto from_json = berth::api::ParseJson(json);
  BERTH_ASSERT(from_json && from_json->root().ToJson() == json);
  const auto again = wire::ToProtobuf(tree->root());
  BERTH_ASSERT(again && wire::ParseProtobuf(*again)->root().ToJson() == json);
}

void CheckTree(Value root) {
  if (const auto bytes = wire::ToProtobuf(root)) CheckWritten(*bytes);
}

void CheckBytes(std::string_view bytes) {
  if (const auto tree = wire::ParseProtobuf(bytes)) CheckTree(tree->root());
}

void Edit(std::string& bytes, std::string_view edits) {
  for (; edits.size() >= 3; edits.remove_prefix(3)) {
    const size_t at = static_cast<unsigned char>(edits[0]) << 8 | static_cast<unsigned char>(edits[1]);
    bytes[at % bytes.size()] = edits[2];
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  CheckBytes(input);
  const size_t end = std::min(input.find('\n'), input.size());
  const auto document = berth::api::ParseJson(input.substr(0, end));
  if (!document) return 0;
  CheckTree(document->root());
  auto bytes = wire::ToProtobuf(document->root());
  if (!bytes || end == input.size()) return 0;
  Edit(*bytes, input.substr(end + 1));
  CheckBytes(*bytes);
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"x":"y"},)"
    R"("managedFields":[{"fieldsV1":{"f:a":{}}}]},"spec":{"containers":[{"name":"c","ports":[{"containerPort":80}],)"
    R"("resources":{"requests":{"cpu":"100m"}},"livenessProbe":{"httpGet":{"port":"http"}}}],"priority":-1,)"
    R"("securityContext":{"supplementalGroups":[1,2]}}})"
    "\nabcdefghijkl",
    R"({"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"a"}},{"spec":{"nodeName":"n"}}]})"
    "\n\x01\x02\x03",
    R"({"apiVersion":"v1","kind":"Secret","data":{"a":"AAEC","b":""},"immutable":true})"
    "\nxyz",
    R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"renewTime":"2026-01-01T00:00:00.123456Z"}})",
    R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","spec":{"minAvailable":"50%"},"status":{"disruptedPods":)"
    R"({"p":"2026-01-01T00:00:00Z"}}})",
    R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":{"user":{"extra":{"a":["b"]}}}})",
    R"({"apiVersion":"apps/v1","kind":"ControllerRevision","data":{"a":[1,null,"x"]},"revision":3})",
    nullptr,
};
