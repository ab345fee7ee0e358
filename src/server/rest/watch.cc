// SPDX-License-Identifier: Apache-2.0
#include "server/rest/watch.h"

#include <fmt/format.h>

#include "server/objects/objects.h"
#include "server/rest/answer.h"
#include "server/store/watch_frame.h"
#include "server/tables/table.h"

namespace berth::server {
namespace {

// How much may wait for a client to take it.
constexpr size_t kWindowBytes = size_t{1} << 20;
constexpr size_t kChangesAtOnce = 8;

std::string_view StreamType(Media::Format format) {
  switch (format) {
    case Media::Format::kJson: return "application/json";
    case Media::Format::kYaml: return "application/yaml";
    case Media::Format::kProtobuf: return "application/vnd.kubernetes.protobuf;stream=watch";
  }
  return {};
}

}  // namespace

Watch::Watch(Watches& owner, Call call, Selection selection, const ListOptions& options, Duration timeout)
    : owner_(owner),
      call_(std::move(call)),
      selection_(std::move(selection)),
      options_(options),
      encoding_(call_.media.format == Media::Format::kProtobuf ? Encoding::kProtobuf : Encoding::kJson),
      timeout_(timeout),
      end_(owner.timers_) {
  const Store& store = owner_.store_;
  const bool starts_now = !options_.revision || *options_.revision == 0 || options_.initial_events;
  if (!starts_now) {
    told_ = *options_.revision;
    return;
  }
  told_ = store.revision();
  owes_initial_end_ = options_.initial_events;
  for (const auto& [key, object] : store.All(stored())) {
    if (selection_.Matches(*object)) initial_.push_back(object);
  }
}

void Watch::Start() {
  call_.exchange->OnGone([this] { Leave(); });
  call_.exchange->OnDrained([this] { Advance(); });
  call_.exchange->Begin(
      200, {{"Cache-Control", "no-cache, private"}, {"Content-Type", std::string(StreamType(call_.media.format))}});
  end_.Start(timeout_, [this] {
    Bookmark();
    End();
  });
  if (const Revision asked = options_.revision.value_or(0); asked > owner_.store_.revision()) {
    // It is of another server, or of this one before it was started anew: what it stands for will never be reached.
    return Expire(fmt::format("too large resource version: {}, current: {}", asked, owner_.store_.revision()));
  }
  Advance();
}

bool Watch::HasRoom() const { return !is_over_ && call_.exchange->pending_bytes() < kWindowBytes; }

void Watch::Advance() {
  while (AdvanceSome()) {
  }
}

bool Watch::AdvanceSome() {
  TellInitial();
  if (!HasRoom() || !initial_.empty()) return false;
  const std::optional<std::vector<ChangePtr>> changes = owner_.store_.ChangesAfter(stored(), told_, kChangesAtOnce);
  if (!changes) {
    Expire(fmt::format("too old resource version: {} ({})", told_, owner_.store_.oldest()));
    return false;
  }
  for (const ChangePtr& change : *changes) {
    if (!HasRoom()) return false;
    Tell(*change);
    told_ = change->revision;
  }
  return changes->size() == kChangesAtOnce;
}

void Watch::TellInitial() {
  while (initial_told_ < initial_.size() && HasRoom()) TellObject(Change::Type::kAdded, *initial_[initial_told_++]);
  if (initial_told_ < initial_.size() || is_over_) return;
  initial_.clear();
  initial_told_ = 0;
  if (!owes_initial_end_) return;
  owes_initial_end_ = false;
  WriteBookmark(true);
}

void Watch::Tell(const Change& change) {
  const bool matched = change.before != nullptr && selection_.Matches(*change.before);
  const bool is_deletion = change.type == Change::Type::kDeleted;
  const bool matches = !is_deletion && selection_.Matches(*change.object);
  if (!matched && !matches) return;
  Change::Type type = Change::Type::kModified;
  if (!matched) type = Change::Type::kAdded;
  if (!matches) type = Change::Type::kDeleted;
  if (call_.media.view == Media::View::kObject && call_.resource == &stored()) {
    call_.exchange->Write(change.Frame(encoding_, type));
  } else {
    TellObject(type, *change.Shown(type));
  }
}

void Watch::TellObject(Change::Type type, const StoredObject& object) {
  const bool is_plain = call_.media.view == Media::View::kObject;
  if (is_plain && call_.resource == &stored()) {
    const Bytes encoded = Encoded(object, encoding_);
    call_.exchange->Write(std::make_shared<const std::string>(WatchFrame(encoding_, ToString(type), *encoded)));
    return;
  }
  WriteFrame(ToString(type), FromStored(*call_.resource, object.Tree()));
}

void Watch::WriteFrame(std::string_view type, const Json& object) {
  Json shown = object;
  if (type != "ERROR" && call_.media.view == Media::View::kTable) {
    shown = MakeTable(
        *call_.resource, object,
        {.has_columns = !has_columns_, .api_version = call_.media.view_version, .now = owner_.timers_.WallNow()});
    has_columns_ = true;
  } else if (type != "ERROR" && call_.media.view == Media::View::kMetadata) {
    shown = MakePartial(object, call_.media.view_version);
  }
  const auto format = encoding_ == Encoding::kProtobuf ? Media::Format::kProtobuf : Media::Format::kJson;
  call_.exchange->Write(std::make_shared<const std::string>(WatchFrame(encoding_, type, Encode(shown, format))));
}

void Watch::WriteBookmark(bool ends_initial) {
  Json metadata{{"resourceVersion", Json::String(std::to_string(told_))}};
  if (ends_initial) metadata.Make("annotations").Set("k8s.io/initial-events-end", "true");
  WriteFrame("BOOKMARK", Json{{"kind", Json::String(call_.resource->kind)},
                              {"apiVersion", Json::String(call_.resource->api_version)},
                              {"metadata", std::move(metadata)}});
}

void Watch::Bookmark() {
  if (!options_.bookmarks || is_over_ || !initial_.empty()) return;
  Advance();
  if (is_over_ || !HasRoom()) return;
  told_ = owner_.store_.revision();
  WriteBookmark(false);
}

void Watch::Expire(std::string message) {
  WriteFrame("ERROR", Expired(std::move(message)).error().ToJson());
  End();
}

void Watch::End() {
  if (is_over_) return;
  call_.exchange->End();
  Leave();
}

void Watch::Leave() {
  if (is_over_) return;
  is_over_ = true;
  owner_.Remove(*this);
}

}  // namespace berth::server
