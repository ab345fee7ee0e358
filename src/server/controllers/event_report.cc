// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/event_report.h"

#include <fmt/format.h>

#include "api/typed/typed.h"
#include "base/assert.h"
#include "base/checksum.h"
#include "client/orders/event.h"

namespace berth::server {
namespace {

constexpr Duration kCountAgain = Minutes(5);

client::Event EventOf(const StoredObject& about, std::string_view reporter, const Notice& notice) {
  client::Event event;
  event.regarding = {.kind = std::string(about.resource().kind),
                     .api_version = std::string(about.resource().api_version),
                     .ns = std::string(about.ns()),
                     .name = std::string(about.name()),
                     .uid = about.uid(),
                     .resource_version = std::to_string(about.revision())};
  event.type = notice.type;
  event.reason = notice.reason;
  event.note = notice.message;
  event.controller = reporter;
  return event;
}

}  // namespace

void ReportEvent(const Cluster& cluster, const StoredObject& about, std::string_view reporter, const Notice& notice) {
  const Resource& events = cluster.Get("", "events");
  const Time now = cluster.objects.now();
  const std::string kind_of_event = fmt::format("{}\n{}\n{}", about.uid(), reporter, notice.reason);
  const uint64_t own_digest = Fnv1a(fmt::format("{}\n{}", kind_of_event, notice.message));
  const SimilarEvents::Place place = cluster.similar_events.Judge(kind_of_event, own_digest, now);
  if (place == SimilarEvents::Place::kNone) return;
  const bool is_shared = place == SimilarEvents::Place::kShared;
  const uint64_t digest = is_shared ? Fnv1a(kind_of_event) : own_digest;
  const std::string name = fmt::format("{}.{:016x}", about.name(), digest);
  client::Event event = EventOf(about, reporter, notice);
  if (is_shared) event.note = "(combined from similar events): " + notice.message;
  const auto count = [&](const Json& present) -> Outcome<Json> {
    Json counted = present;
    const Result<Time> last = ParseTime(present["lastTimestamp"].text());
    if (last && now - *last < kCountAgain) return counted;
    counted.Set("count", Json::Int(present["count"].IntOr(1) + 1));
    counted.Set("message", event.note);
    counted.Set("lastTimestamp", FormatTime(now));
    return counted;
  };
  const auto make = [&]() -> Outcome<Json> {
    Json body = Json::FromValue(client::CoreEventBody(event, name, now).root());
    if (!notice.field.empty()) body.Make("involvedObject").Set("fieldPath", notice.field);
    if (!notice.host.empty()) {
      body.Make("source").Set("host", notice.host);
      body.Set("reportingInstance", notice.host);
    }
    const Result<void> canonical = Canonicalize(body, events.message());
    BERTH_ASSERT(canonical);
    return body;
  };
  // An event that cannot be written, in a namespace that is going, has nobody to read it.
  (void)cluster.objects.Update(events, client::EventNamespace(event.regarding), name,
                               {.manager = std::string(kControllerManager)}, count, make);
}

}  // namespace berth::server
