// SPDX-License-Identifier: Apache-2.0
// ParkedWrites: writes of the cluster itself that wait for the answers of webhooks.
//
// Controllers must not wait, and begin each look at their objects from what is in the store. So a write of theirs that
// webhooks have a say in is refused for now, and made here when the answers have come, if it still fits: a change is
// meant for the version of the object that it was made of. Until then the same write is not made twice. A refusal by a
// webhook is told to whoever makes the write next.
//
// Thread: that of the store.

#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/objects/objects.h"

namespace berth::server {

class ParkedWrites {
 public:
  explicit ParkedWrites(Objects& objects) : objects_(objects) {}

  // As those of Objects.
  Outcome<ObjectPtr> Create(const Resource& resource, std::string_view ns, Json object, const WriteOptions& options);
  // REQUIRES: `present` is there.
  Outcome<Objects::Written> Update(const StoredObject& present, const Resource& resource, const WriteOptions& options,
                                   Objects::Edit edit, bool tracks);
  Outcome<Objects::Deleted> Delete(const Resource& resource, std::string_view ns, std::string_view name,
                                   const DeleteOptions& options);

 private:
  struct Write {
    Verb verb{};
    const Resource& resource;
    std::string ns;
    std::string name = {};
    Json object = {};  // As it shall be.
    WriteOptions options = {};
    DeleteOptions deletion = {};
    bool tracks = true;
    std::shared_ptr<WebhookDialog> dialog = {};
    std::optional<StatusError> refusal = {};  // How it ended.

    bool IsSame(const Write& other) const;
  };

  std::shared_ptr<WebhookDialog> Open();
  // Parks a write whose first attempt is waiting, and says so.
  Refusal Park(Write write);
  void Send(std::list<Write>::iterator write);
  void Resume(std::list<Write>::iterator write);
  Outcome<void> Attempt(Write& write);

  Objects& objects_;
  std::list<Write> writes_;  // Oldest first.
};

}  // namespace berth::server
