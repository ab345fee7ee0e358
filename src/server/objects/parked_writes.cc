// SPDX-License-Identifier: Apache-2.0
#include "server/objects/parked_writes.h"

#include <algorithm>
#include <utility>

namespace berth::server {
namespace {

constexpr size_t kParkedMax = 1000;
constexpr size_t kRefusedMax = 100;
// For all webhooks together, as for requests.
constexpr Duration kParkedTimeout = Seconds(60);

Refusal NotYet(std::string message) {
  return std::unexpected(StatusError{.code = 503, .reason = "ServiceUnavailable", .message = std::move(message)});
}

// Components of the cluster write under their own names.
WhoAsks UserOf(const std::string& manager) {
  return [name = manager.empty() ? "system:apiserver" : "system:" + manager] {
    return Json{{"username", Json::String(name)},
                {"groups", Json::MakeList({Json::String("system:masters"), Json::String("system:authenticated")})}};
  };
}

}  // namespace

bool ParkedWrites::Write::IsSame(const Write& other) const {
  return verb == other.verb && &resource == &other.resource && ns == other.ns && name == other.name &&
         options.subresource == other.options.subresource && object == other.object;
}

std::shared_ptr<WebhookDialog> ParkedWrites::Open() {
  std::shared_ptr<WebhookDialog> dialog = objects_.webhooks().Open(kParkedTimeout);
  dialog->Begin();
  return dialog;
}

Outcome<ObjectPtr> ParkedWrites::Create(const Resource& resource, std::string_view ns, Json object,
                                        const WriteOptions& options) {
  Write write{.verb = Verb::kCreate,
              .resource = resource,
              .ns = std::string(ns),
              .name = object["metadata"]["name"].text(),
              .object = std::move(object),
              .options = options,
              .dialog = Open()};
  write.options.dialog = write.dialog.get();
  write.options.user = UserOf(options.manager);
  Outcome<ObjectPtr> created = objects_.Create(resource, ns, write.object, write.options);
  if (!write.dialog->is_waiting()) return created;
  return Park(std::move(write));
}

Outcome<Objects::Written> ParkedWrites::Update(const StoredObject& present, const Resource& resource,
                                               const WriteOptions& options, Objects::Edit edit, bool tracks) {
  Write write{.verb = Verb::kUpdate,
              .resource = resource,
              .ns = std::string(present.ns()),
              .name = std::string(present.name()),
              .options = options,
              .tracks = tracks,
              .dialog = Open()};
  write.options.dialog = write.dialog.get();
  write.options.user = UserOf(options.manager);
  const auto note = [&](const Json& current) -> Outcome<Json> {
    write.object = BERTH_TRY(edit(current));
    return write.object;
  };
  Outcome<Objects::Written> written = objects_.Update(resource, write.ns, write.name, write.options, note, {}, tracks);
  if (!write.dialog->is_waiting()) return written;
  write.object.Make("metadata").Set("resourceVersion", std::to_string(present.revision()));
  return Park(std::move(write));
}

Outcome<Objects::Deleted> ParkedWrites::Delete(const Resource& resource, std::string_view ns, std::string_view name,
                                               const DeleteOptions& options) {
  Write write{.verb = Verb::kDelete,
              .resource = resource,
              .ns = std::string(ns),
              .name = std::string(name),
              .deletion = options,
              .dialog = Open()};
  write.deletion.dialog = write.dialog.get();
  write.deletion.user = UserOf({});
  Outcome<Objects::Deleted> deleted = objects_.Delete(resource, ns, name, write.deletion);
  if (!write.dialog->is_waiting()) return deleted;
  // It is meant for this object, whatever comes under its name.
  if (write.deletion.uid.empty()) write.deletion.uid = objects_.store().Find(*resource.stored, ns, name)->uid();
  return Park(std::move(write));
}

Refusal ParkedWrites::Park(Write write) {
  const auto same = std::ranges::find_if(writes_, [&](const Write& other) { return other.IsSame(write); });
  if (same != writes_.end() && same->refusal) {
    StatusError refusal = *std::move(same->refusal);
    writes_.erase(same);
    return std::unexpected(std::move(refusal));
  }
  if (same == writes_.end()) {
    if (writes_.size() >= kParkedMax) return NotYet("too many writes wait for webhooks");
    write.options.warnings = nullptr;
    writes_.push_back(std::move(write));
    Send(std::prev(writes_.end()));
  }
  return NotYet("the write is made when admission webhooks have answered");
}

void ParkedWrites::Send(std::list<Write>::iterator write) {
  objects_.webhooks().Send(write->dialog, [this, write] { Resume(write); });
}

void ParkedWrites::Resume(std::list<Write>::iterator write) {
  write->dialog->Begin();
  const Outcome<void> outcome = Attempt(*write);
  if (write->dialog->is_waiting()) return Send(write);
  // What the cluster has overtaken is nothing to speak of.
  const bool is_refused = !outcome && outcome.error().code != 404 && outcome.error().code != 409;
  if (!is_refused) {
    writes_.erase(write);
    return;
  }
  write->refusal = outcome.error();
  const auto has_ended = [](const Write& other) { return other.refusal.has_value(); };
  if (static_cast<size_t>(std::ranges::count_if(writes_, has_ended)) > kRefusedMax) {
    writes_.erase(std::ranges::find_if(writes_, has_ended));
  }
}

Outcome<void> ParkedWrites::Attempt(Write& write) {
  switch (write.verb) {
    case Verb::kCreate:
      BERTH_CHECK_OK(objects_.Create(write.resource, write.ns, write.object, write.options));
      return {};
    case Verb::kUpdate:
      BERTH_CHECK_OK(objects_.Update(
          write.resource, write.ns, write.name, write.options,
          [&](const Json&) -> Outcome<Json> { return write.object; }, {}, write.tracks));
      return {};
    case Verb::kDelete:
      BERTH_CHECK_OK(objects_.Delete(write.resource, write.ns, write.name, write.deletion));
      return {};
  }
  return {};
}

}  // namespace berth::server
