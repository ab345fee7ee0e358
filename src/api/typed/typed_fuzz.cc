// SPDX-License-Identifier: Apache-2.0
// Any JSON: an object is refused, or becomes canonical and stays so through its text and through protobuf.

#include <cstddef>
#include <cstdint>

#include "api/document/value.h"
#include "api/typed/typed.h"
#include "api/wire/protobuf.h"
#include "base/assert.h"

namespace {

using berth::api::Canonicalize;
using berth::api::Json;
using berth::api::ParseJson;
namespace wire = berth::api::wire;

void CheckText(const Json& object, const std::string& text, const wire::Message& message) {
  auto again = berth::api::ParseTree(text);
  BERTH_ASSERT(again);
  BERTH_ASSERT(Canonicalize(*again, message));
  BERTH_ASSERT(*again == object);
}

void CheckProtobuf(const Json& object, const std::string& text, const wire::Message& message) {
  const auto bytes = wire::ToProtobuf(ParseJson(text)->root());
  BERTH_ASSERT(bytes);
  const auto document = wire::ParseProtobuf(*bytes);
  BERTH_ASSERT(document);
  Json again = Json::FromValue(document->root());
  BERTH_ASSERT(Canonicalize(again, message));
  BERTH_ASSERT(again == object);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto document = ParseJson({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  const auto root = document->root();
  const wire::Kind* const kind = wire::FindKind(root["apiVersion"].text(), root["kind"].text());
  if (kind == nullptr) return 0;
  const wire::Message& message = wire::MessageAt(kind->message);
  static_cast<void>(berth::api::StrictErrors(root, message));

  Json object = Json::FromValue(root);
  if (!Canonicalize(object, message)) return 0;
  const Json once = object;
  BERTH_ASSERT(Canonicalize(object, message));
  BERTH_ASSERT(object == once);
  const std::string text = EncodeJson(object, message);
  CheckText(object, text, message);
  CheckProtobuf(object, text, message);
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"x":null},)"
    R"("managedFields":[{"fieldsV1":{"f:a":{}},"time":null}]},"spec":{"containers":[{"name":"c","ports":[{"containerPort":80}],)"
    R"("resources":{"requests":{"cpu":"0.1"}},"livenessProbe":{"httpGet":{"port":"http"}}},null],"priority":-0,)"
    R"("volumes":[{"hostPath":{"path":"/"}}],"securityContext":{"supplementalGroups":[1,null]}},"status":{"conditions":[{}]}})",
    R"({"apiVersion":"v1","kind":"Secret","data":{"a":"AAEC","b":null},"immutable":true,"stringData":{"a":"b"}})",
    R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"renewTime":"2026-01-01T00:00:00.123456+01:00"}})",
    R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","spec":{"minAvailable":"50%"},"status":{"disruptedPods":)"
    R"({"p":"2026-01-01T00:00:00Z","q":null}}})",
    R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":{"user":{"extra":{"a":["b",null],"c":null}}}})",
    R"({"apiVersion":"apps/v1","kind":"ControllerRevision","data":{"a":[1,null,"x"]},"revision":3})",
    R"({"apiVersion":"v1","kind":"Node","status":{"capacity":{"cpu":1,"memory":"1024Mi"}},"spec":{"x":1,"x":2}})",
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","rules":[]})",
    nullptr,
};
