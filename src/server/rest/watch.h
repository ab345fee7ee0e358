// SPDX-License-Identifier: Apache-2.0
// Watch: one client that is told of changes.
//
// In a version that a converter makes, it takes a few objects at a time and goes on when the converter has answered.

#pragma once

#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "server/rest/call.h"
#include "server/rest/list_options.h"
#include "server/rest/selection.h"
#include "server/rest/watches.h"
#include "server/store/store.h"

namespace berth::server {

class Watch {
 public:
  Watch(Watches& owner, Call call, Selection selection, const ListOptions& options, Duration timeout);

  // Begins the answer.
  void Start();
  // Tells what there is to tell, as far as the client keeps up.
  void Advance();
  // The same, but not more than some. Whether there may be more.
  bool AdvanceSome();
  // There is something to tell.
  bool is_behind = false;
  // Says how far it has come, if the client wants that and has been told all before.
  void Bookmark();

  const Resource& stored() const { return *call_.resource->stored; }
  bool is_over() const { return is_over_; }

 private:
  bool HasRoom() const;
  // Whether all of the objects can be shown. Otherwise asks the converter, and goes on when it has answered.
  bool Prepare(std::vector<ObjectPtr> objects);
  void Convert(const std::shared_ptr<WebhookDialog>& dialog, const std::vector<ObjectPtr>& objects);
  bool PrepareInitial();
  bool PrepareChanges(std::span<const ChangePtr> changes);
  bool Matches(const StoredObject& object) const;
  Json ShownTree(const StoredObject& object) const;
  void TellInitial();
  void Tell(const Change& change);
  void TellObject(Change::Type type, const StoredObject& object);
  void WriteFrame(std::string_view type, const Json& object);
  void WriteBookmark(bool ends_initial);
  void Expire(std::string message);
  void Fail(const StatusError& error);
  void End();
  void Leave();

  Watches& owner_;
  Call call_;
  const Selection selection_;
  const ListOptions options_;
  const Encoding encoding_;
  const Duration timeout_;
  std::vector<ObjectPtr> initial_;  // What was there at the beginning, and is to be told first.
  size_t initial_told_ = 0;
  const bool converts_;
  bool is_converting_ = false;
  size_t initial_ready_ = 0;        // So many of them can be shown.
  std::map<Revision, Json> shown_;  // Those that can, by a converter.
  // For those who call back when it may be gone.
  const std::shared_ptr<Watch*> self_ = std::make_shared<Watch*>(this);
  bool owes_initial_end_ = false;
  Revision told_ = 0;         // Everything up to there.
  bool has_columns_ = false;  // A table's columns have been told.
  bool is_over_ = false;
  runtime::Timer end_;
};

}  // namespace berth::server
