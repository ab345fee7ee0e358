// SPDX-License-Identifier: Apache-2.0
// Conversions of custom resources: what is too much for one call is asked for in several.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/document/field_error.h"
#include "base/uuid.h"
#include "server/model/strategy.h"
#include "server/webhooks/conversion_review.h"
#include "server/webhooks/webhook_target.h"
#include "server/webhooks/webhooks.h"

namespace berth::server {
namespace {

constexpr int64_t kTimeoutSeconds = 30;  // As upstream.
// Of one call, whose answer is bounded as well.
constexpr size_t kObjectsAtOnce = 500;
constexpr size_t kBytesAtOnce = size_t{2} << 20;
// Of all that one request needs.
constexpr size_t kBytesMax = size_t{32} << 20;

Refusal NotConverted(std::string message) {
  return std::unexpected(StatusError{.code = 500, .message = std::move(message)});
}

Refusal NotConverted(const Resource& resource, std::string_view why) {
  return NotConverted(
      fmt::format("conversion webhook for {}, Kind={} failed: {}", resource.api_version, resource.kind, why));
}

// As upstream does to whatever was decoded.
Outcome<Json> Settled(const Resource& resource, Json object) {
  if (const Result<void> canonical = resource.schema().Canonicalize(object); !canonical) {
    return NotConverted(resource, canonical.error().message);
  }
  resource.strategy->Default(object, false);
  return object;
}

}  // namespace

Outcome<const WebhookAnswer*> Webhooks::AskConverter(const Resource& view, const Resource& to, Json::List objects,
                                                     WebhookDialog& dialog) {
  const std::string id = fmt::format("{}/{}", view.Qualified(), to.version);
  const Json request{{"desiredAPIVersion", Json::String(to.api_version)},
                     {"objects", Json::MakeList(std::move(objects))}};
  if (const WebhookAnswer* const answer = dialog.Find(id, request)) return answer;
  const Json& config = view.conversion["clientConfig"];
  AskedReview asked{.uid = MakeUuid(random_.Next(), random_.Next()),
                    .version = ConversionReviewVersion(view.conversion["conversionReviewVersions"]),
                    .url = WebhookUrl(config, kTimeoutSeconds),
                    .converts = true};
  if (asked.version.empty()) return NotConverted("no supported conversion review versions");
  if (caller_ == nullptr) return NotConverted(view, "no webhook is called here");
  const Time now = timers_.Now();
  if (now >= dialog.deadline()) return NotConverted(view, "context deadline exceeded");
  Result<WebhookCall> call = AddressWebhook(config, kTimeoutSeconds, store_, catalog_);
  if (!call) {
    return NotConverted(view, fmt::format("Post {}: {}", api::GoQuote(asked.url), call.error().message));
  }
  call->body = ConversionReviewText(asked, request);
  call->timeout = std::min(Seconds(kTimeoutSeconds), dialog.deadline() - now);
  dialog.Ask({.webhook = id, .request = request, .asked = std::move(asked), .call = *std::move(call)});
  return nullptr;
}

Outcome<std::vector<Json>> Webhooks::Convert(const Resource& from, const Resource& to, std::vector<Json> objects,
                                             WebhookDialog& dialog) {
  const Resource& view = from.stored == &from ? to : from;
  if (!view.custom->HasVersion(view.stored->api_version)) {
    return NotConverted(view, fmt::format("the objects are kept in version {}, which its definition has no more",
                                          view.stored->version));
  }
  size_t all_bytes = 0;
  for (const Json& object : objects) all_bytes += api::SizeOf(object).bytes;
  if (all_bytes > kBytesMax) {
    return NotConverted(view, fmt::format("more than {} bytes at once; ask for fewer objects", kBytesMax));
  }
  std::vector<Json> converted;
  bool is_missing = false;
  for (size_t next = 0; next < objects.size();) {
    Json::List some;
    for (size_t bytes = 0; next < objects.size() && some.size() < kObjectsAtOnce; ++next) {
      const size_t size = api::SizeOf(objects[next]).bytes;
      if (!some.empty() && bytes + size > kBytesAtOnce) break;
      bytes += size;
      some.push_back(std::move(objects[next]));
    }
    const WebhookAnswer* const answer = BERTH_TRY(AskConverter(view, to, std::move(some), dialog));
    is_missing |= answer == nullptr;
    if (is_missing) continue;
    if (!answer->failure.empty()) return NotConverted(answer->failure);
    for (const Json& object : answer->converted.items()) converted.push_back(BERTH_TRY(Settled(to, object)));
  }
  if (is_missing) {
    return std::unexpected(StatusError{
        .code = 503, .reason = "ServiceUnavailable", .message = "the request waits for the answer of a converter"});
  }
  return converted;
}

}  // namespace berth::server
