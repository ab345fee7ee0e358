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

api::Labels LabelsOf(const Json& object) {
  const Json::Map& members = object["metadata"]["labels"].members();
  std::vector<api::Labels::Entry> entries;
  entries.reserve(members.size());
  for (const Json::Member& member : members) entries.emplace_back(member.name, member.value.text());
  return api::Labels::FromUnsorted(std::move(entries));
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

StoredObject::StoredObject(const Resource& resource, const Json& object, Revision revision)
    : StoredObject(resource, object, revision, Shrunk(EncodeJson(object, resource.message()))) {}

StoredObject::StoredObject(const Resource& resource, TreePtr object, Revision revision, Text text)
    : StoredObject(resource, *object, revision,
                   text == Text::kNow ? Shrunk(EncodeJson(*object, resource.message())) : nullptr) {
  tree_ = std::move(object);
}

StoredObject::StoredObject(const Resource& resource, const Json& object, Revision revision, Bytes json)
    : resource_(resource),
      revision_(revision),
      key_(ObjectKey(object["metadata"]["namespace"].text(), object["metadata"]["name"].text())),
      uid_(object["metadata"]["uid"].text()),
      labels_(LabelsOf(object)),
      fields_(FieldsOf(*resource.strategy, object)),
      json_(std::move(json)),
      text_bytes_(json_ == nullptr ? api::SizeOf(object).bytes : json_->size()),
      has_owners_(!object["metadata"]["ownerReferences"].empty()),
      is_being_deleted_(object["metadata"].Has("deletionTimestamp")) {}

Result<ObjectPtr> StoredObject::FromText(const Resource& resource, std::string json) {
  const Json object = BERTH_TRY(ParseTree(json));
  const Revision revision = RevisionOf(object);
  const Json& metadata = object["metadata"];
  const bool is_whole = object["kind"].text() == resource.kind && !metadata["name"].text().empty() && revision > 0 &&
                        metadata["namespace"].text().empty() != resource.namespaced;
  if (!is_whole) return Invalid("no kept object of " + resource.Qualified());
  BERTH_CHECK_OK(api::wire::ToProtobuf(api::Value(object)));  // Later it could only be asserted.
  return ObjectPtr(new StoredObject(resource, object, revision, Shrunk(std::move(json))));
}

std::string_view StoredObject::ns() const {
  const size_t slash = key_.find('/');
  return slash == std::string::npos ? std::string_view() : std::string_view(key_).substr(0, slash);
}

std::string_view StoredObject::name() const {
  // None: npos + 1 is 0.
  return std::string_view(key_).substr(key_.find('/') + 1);
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
  if (json_ == nullptr) json_ = Shrunk(EncodeJson(*tree_, resource_.message()));
  return json_;
}

void StoredObject::DropTree() const {
  static_cast<void>(json());
  if (tree_ != nullptr) held_ = std::exchange(tree_, nullptr);
}

Bytes StoredObject::protobuf() const {
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
  size_t bytes = sizeof(*this) + text_bytes_ + sizeof(*json_) + key_.size() + uid_.size() + fields_.size() + 6 * kBlock;
  for (const auto& [name, value] : labels_) bytes += sizeof(api::Labels::Entry) + name.size() + value.size() + kBlock;
  return bytes;
}

void StoredObject::Settle() const {
  is_settled_ = true;
  protobuf_ = nullptr;
}

}  // namespace berth::server
