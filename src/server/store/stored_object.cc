// SPDX-License-Identifier: Apache-2.0
#include "server/store/stored_object.h"

#include <charconv>
#include <utility>

#include "api/typed/typed.h"
#include "api/wire/protobuf.h"
#include "base/assert.h"
#include "server/model/strategy.h"

namespace berth::server {
namespace {

api::Labels LabelsOf(const Json& labels) {
  const Json::Map& members = labels.members();
  std::vector<api::Labels::Entry> entries;
  entries.reserve(members.size());
  for (const Json::Member& member : members) entries.emplace_back(member.name, member.value.text());
  return api::Labels::FromUnsorted(std::move(entries));
}

Json OwnersOf(const Json& object) {
  const Json& owners = object["metadata"]["ownerReferences"];
  return owners.empty() ? Json() : owners;
}

std::string FieldsOf(const Strategy& strategy, const Json& object) {
  std::string fields;
  for (const std::string_view path : strategy.selectable_fields()) {
    fields += strategy.SelectableField(object, path);
    fields += '\0';
  }
  fields.shrink_to_fit();
  return fields;
}

// Texts grow by doubling, and this one is kept.
Bytes Shrunk(std::string text) {
  text.shrink_to_fit();
  return std::make_shared<const std::string>(std::move(text));
}

Revision RevisionOf(const Json& object) {
  const std::string& text = object["metadata"]["resourceVersion"].text();
  Revision revision = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), revision);
  return error == std::errc() && end == text.data() + text.size() ? revision : 0;
}

}  // namespace

std::string ObjectKey(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  if (!ns.empty()) key.append(ns).append(1, '/');
  return key.append(name);
}

std::shared_ptr<const StoredObject::Identity> StoredObject::IdentityOf(const Json& object, const StoredObject* before) {
  const Json& metadata = object["metadata"];
  std::string key = ObjectKey(metadata["namespace"].text(), metadata["name"].text());
  const std::string& uid = metadata["uid"].text();
  const Json& labels = metadata["labels"];
  Json owners = OwnersOf(object);
  if (before != nullptr) {
    const Identity& known = *before->identity_;
    const bool is_same = known.key == key && known.uid == uid && known.label_map == labels && known.owners == owners;
    if (is_same) return before->identity_;
  }
  return std::make_shared<const Identity>(Identity{
      .key = std::move(key), .uid = uid, .label_map = labels, .labels = LabelsOf(labels), .owners = std::move(owners)});
}

StoredObject::StoredObject(const Resource& resource, Json object, Revision revision, const StoredObject* before)
    : StoredObject(resource, object, revision, IdentityOf(object, before)) {
  tree_ = std::make_shared<const Json>(std::move(object));
}

StoredObject::StoredObject(const Resource& resource, const Json& object, Revision revision,
                           std::shared_ptr<const Identity> identity)
    : resource_(resource),
      revision_(revision),
      identity_(std::move(identity)),
      fields_(FieldsOf(*resource.strategy, object)),
      size_(api::SizeOf(object)),
      is_being_deleted_(object["metadata"].Has("deletionTimestamp")) {}

Result<ObjectPtr> StoredObject::FromText(const Resource& resource, std::string json) {
  const Json object = BERTH_TRY(ParseTree(json));
  const Revision revision = RevisionOf(object);
  const Json& metadata = object["metadata"];
  const bool is_whole = object["kind"].text() == resource.kind && !metadata["name"].text().empty() && revision > 0 &&
                        metadata["namespace"].text().empty() != resource.namespaced;
  if (!is_whole) return Invalid("no kept object of " + resource.Qualified());
  // Later it could only be asserted.
  if (resource.custom == nullptr) BERTH_CHECK_OK(api::wire::ToProtobuf(api::Value(object)));
  const std::shared_ptr<StoredObject> stored(new StoredObject(resource, object, revision, IdentityOf(object, nullptr)));
  stored->json_ = Shrunk(std::move(json));
  return stored;
}

std::string_view StoredObject::ns() const {
  const size_t slash = key().find('/');
  return slash == std::string::npos ? std::string_view() : std::string_view(key()).substr(0, slash);
}

std::string_view StoredObject::name() const {
  // None: npos + 1 is 0.
  return std::string_view(key()).substr(key().find('/') + 1);
}

std::string_view StoredObject::Field(std::string_view path) const {
  if (path == "metadata.name") return name();
  if (path == "metadata.namespace") return ns();
  std::string_view rest = fields_;
  for (const std::string_view selectable : resource_.strategy->selectable_fields()) {
    const size_t end = rest.find('\0');
    if (selectable == path) return rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  return {};
}

const Bytes& StoredObject::json() const {
  if (json_ == nullptr) json_ = Shrunk(resource_.schema().EncodeJson(*tree_));
  return json_;
}

void StoredObject::Rest() const {
  if (tree_ == nullptr || (is_superseded_ && json_ == nullptr)) return;
  static_cast<void>(json());
  held_ = std::exchange(tree_, nullptr);
}

Bytes StoredObject::protobuf() const {
  if (resource_.custom != nullptr) return json();
  if (protobuf_) return protobuf_;
  Result<std::string> encoded = api::wire::ToProtobuf(api::Value(*tree()));
  BERTH_ASSERT(encoded);  // What is canonical can be encoded.
  Bytes bytes = std::make_shared<const std::string>(*std::move(encoded));
  if (!is_settled_) protobuf_ = bytes;
  return bytes;
}

TreePtr StoredObject::tree() const {
  if (tree_) return tree_;
  if (TreePtr held = held_.lock()) return held;
  Result<Json> parsed = ParseTree(*json_);
  BERTH_ASSERT(parsed);
  const auto tree = std::make_shared<const Json>(*std::move(parsed));
  held_ = tree;
  return tree;
}

size_t StoredObject::memory_bytes() const {
  constexpr size_t kBlock = 16;  // What the allocator adds.
  constexpr size_t kNode = 56;   // Of a tree, beside its text.
  return sizeof(*this) + size_.bytes + size_.nodes * kNode + fields_.size() + 4 * kBlock;
}

void StoredObject::Settle() const {
  is_settled_ = true;
  protobuf_ = nullptr;
  if (is_superseded_) Rest();
}

}  // namespace berth::server
