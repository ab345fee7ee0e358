// SPDX-License-Identifier: Apache-2.0
// Whatever a webhook answers is read as an answer or as the failure to give one, and a refusal has a code of one.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "server/webhooks/conversion_review.h"
#include "server/webhooks/webhook_answer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth::server;
  const WebhookReply reply{.status = 200,
                           .content_type = "application/json",
                           .body = std::string(reinterpret_cast<const char*>(data), size)};
  for (const bool mutates : {false, true}) {
    const WebhookAnswer answer =
        ReadWebhookAnswer({.uid = "u", .version = "v1", .url = "https://h/", .mutates = mutates}, reply);
    if (!answer.failure.empty()) continue;
    BERTH_ASSERT(mutates || answer.patch.empty());
    const int code = DeniedBy("w", answer.result).error().code;
    BERTH_ASSERT(code >= 400 && code < 600);
  }
  static const Json kAsked = ParseTree(R"({"desiredAPIVersion":"a.b/v2","objects":[
      {"apiVersion":"a.b/v1","kind":"K","metadata":{"name":"n","uid":"u"}}]})")
                                 .value();
  const WebhookAnswer converted =
      ReadConversion({.uid = "u", .version = "v1", .url = "https://h/", .converts = true}, kAsked, reply);
  BERTH_ASSERT(!converted.failure.empty() || converted.converted.size() == 1);
  return 0;
}

extern const char* const kFuzzSeeds[] = {
    R"json({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true,"warnings":["w"],
       "patchType":"JSONPatch","patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL2EiLCJ2YWx1ZSI6MX1d"}})json",
    R"json({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":false,"status":{
       "code":403,"reason":"Forbidden","message":"no","details":{"causes":[{"reason":"a","message":"b","field":"c"}]}}}})json",
    R"json({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":"u","result":{"status":
       "Success"},"convertedObjects":[{"apiVersion":"a.b/v2","kind":"K","metadata":{"name":"n","uid":"u","labels":{"a":
       "b"},"annotations":{"c":"d"}}}]}})json",
    nullptr};
