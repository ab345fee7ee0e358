// SPDX-License-Identifier: Apache-2.0
#include "server/rest/watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/objects/objects.h"
#include "server/rest/answer.h"
#include "server/store/watch_frame.h"
#include "server/tables/table.h"

namespace berth::server {
namespace {

// How much may wait for a client to take it.
constexpr size_t kWindowBytes = size_t{1} << 20;
constexpr size_t kChangesAtOnce = 8;
// That a converter is asked for.
constexpr size_t kObjectsAtOnce = 100;
constexpr size_t kBytesAtOnce = size_t{1} << 20;
constexpr Duration kConverterTimeout = Seconds(30);

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
      converts_(NeedsConverter(*call_.resource)),
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
    if (converts_ ? selection_.MayMatch(*object) : selection_.Matches(*object)) initial_.push_back(object);
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
  if (is_converting_) return false;
  TellInitial();
  if (!HasRoom() || !initial_.empty()) return false;
  const std::optional<std::vector<ChangePtr>> changes = owner_.store_.ChangesAfter(stored(), told_, kChangesAtOnce);
  if (!changes) {
    Expire(fmt::format("too old resource version: {} ({})", told_, owner_.store_.oldest()));
    return false;
  }
  if (!PrepareChanges(*changes)) return false;
  for (const ChangePtr& change : *changes) {
    if (!HasRoom()) return false;
    Tell(*change);
    told_ = change->revision;
  }
  return changes->size() == kChangesAtOnce;
}

void Watch::TellInitial() {
  while (initial_told_ < initial_.size() && HasRoom() && PrepareInitial()) {
    const StoredObject& object = *initial_[initial_told_++];
    if (!converts_ || Matches(object)) TellObject(Change::Type::kAdded, object);
  }
  if (initial_told_ < initial_.size() || is_over_) return;
  initial_.clear();
  initial_told_ = 0;
  if (!owes_initial_end_) return;
  owes_initial_end_ = false;
  WriteBookmark(true);
}

void Watch::Tell(const Change& change) {
  const bool matched = change.before != nullptr && Matches(*change.before);
  const bool is_deletion = change.type == Change::Type::kDeleted;
  const bool matches = !is_deletion && Matches(*change.object);
  if (!matched && !matches) return;
  Change::Type type = Change::Type::kModified;
  if (!matched) type = Change::Type::kAdded;
  if (!matches) type = Change::Type::kDeleted;
  if (call_.media.view == Media::View::kObject && call_.resource == &stored()) {
    call_.exchange->Write(change.Frame(encoding_, type));
  } else if (converts_ && type == Change::Type::kDeleted && !is_deletion) {
    Json shown = ShownTree(*change.before);
    shown.Make("metadata").Set("resourceVersion", std::to_string(change.revision));
    WriteFrame(ToString(type), shown);
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
  WriteFrame(ToString(type), ShownTree(object));
}

bool Watch::Matches(const StoredObject& object) const {
  const auto shown = shown_.find(object.revision());
  return selection_.Matches(object, shown == shown_.end() ? nullptr : &shown->second);
}

Json Watch::ShownTree(const StoredObject& object) const {
  const auto shown = shown_.find(object.revision());
  return shown == shown_.end() ? FromStored(*call_.resource, object.Tree()) : shown->second;
}

bool Watch::PrepareInitial() {
  if (!converts_ || initial_told_ < initial_ready_) return true;
  std::vector<ObjectPtr> next;
  size_t bytes = 0;
  for (size_t i = initial_told_; i < initial_.size() && next.size() < kObjectsAtOnce && bytes < kBytesAtOnce; ++i) {
    next.push_back(initial_[i]);
    bytes += initial_[i]->text_bytes();
  }
  const size_t ready = initial_told_ + next.size();
  if (!Prepare(std::move(next))) return false;
  initial_ready_ = ready;
  return true;
}

bool Watch::PrepareChanges(std::span<const ChangePtr> changes) {
  if (!converts_) return true;
  std::vector<ObjectPtr> needed;
  for (const ChangePtr& change : changes) {
    // Most clients see what they saw before.
    if (change->before != nullptr && selection_.MayMatch(*change->before)) needed.push_back(change->before);
    if (selection_.MayMatch(*change->object)) needed.push_back(change->object);
  }
  return Prepare(std::move(needed));
}

bool Watch::Prepare(std::vector<ObjectPtr> objects) {
  const auto is_shown = [&](const ObjectPtr& object) { return shown_.contains(object->revision()); };
  if (std::ranges::all_of(objects, is_shown)) return true;
  std::map<Revision, Json> kept;
  for (const ObjectPtr& object : objects) {
    if (const auto shown = shown_.find(object->revision()); shown != shown_.end()) kept.insert(*shown);
  }
  shown_ = std::move(kept);
  std::erase_if(objects, is_shown);
  is_converting_ = true;
  Convert(owner_.webhooks_.Open(kConverterTimeout), objects);
  return !is_converting_ && !is_over_;
}

void Watch::Convert(const std::shared_ptr<WebhookDialog>& dialog, const std::vector<ObjectPtr>& objects) {
  dialog->Begin();
  std::vector<Json> trees;
  for (const ObjectPtr& object : objects) trees.push_back(object->Tree());
  const Outcome<std::vector<Json>> shown =
      owner_.webhooks_.Convert(stored(), *call_.resource, std::move(trees), *dialog);
  if (dialog->is_waiting()) {
    return owner_.webhooks_.Send(dialog, [watch = std::weak_ptr<Watch*>(self_), dialog, objects] {
      const std::shared_ptr<Watch*> there = watch.lock();
      if (there == nullptr || (*there)->is_over_) return;
      (*there)->Convert(dialog, objects);
      if (!(*there)->is_converting_) (*there)->Advance();
    });
  }
  is_converting_ = false;
  if (!shown) return Fail(shown.error());
  for (size_t i = 0; i < objects.size(); ++i) shown_.emplace(objects[i]->revision(), (*shown)[i]);
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
  if (is_over_ || !HasRoom() || is_converting_) return;
  told_ = owner_.store_.revision();
  WriteBookmark(false);
}

void Watch::Expire(std::string message) { Fail(Expired(std::move(message)).error()); }

void Watch::Fail(const StatusError& error) {
  WriteFrame("ERROR", error.ToJson());
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
