// SPDX-License-Identifier: Apache-2.0
// GET: single objects, lists and the beginning of watches.

#include <fmt/format.h>

#include <map>
#include <span>
#include <vector>

#include "server/rest/answer.h"
#include "server/rest/api_server.h"
#include "server/rest/list_options.h"
#include "server/rest/selection.h"

namespace berth::server {
namespace {

// How long a read waits for a revision that is yet to come.
constexpr Duration kFutureWait = Seconds(3);

Refusal FromTheFuture(Revision asked, Revision present) {
  StatusError error{.code = 504,
                    .reason = "Timeout",
                    .message = fmt::format("Timeout: Too large resource version: {}, current: {}", asked, present),
                    .retry_after_seconds = 1};
  error.causes.push_back({.reason = "ResourceVersionTooLarge", .message = "Too large resource version", .field = {}});
  return std::unexpected(std::move(error));
}

Refusal ExpiredToken() {
  return Expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new list "
      "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
      "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
      "modified, or deleted between the time the first chunk was returned and now may show up in the list.");
}

struct Found {
  std::vector<ObjectPtr> objects;
  std::string next;       // The key of the first one that did not fit; "" if all did.
  int64_t remaining = 0;  // How many did not fit.
};

// The objects from key `first` on that are selected, at most `limit` of them (0: all). `shown`: how a converter shows
// them, by revision; empty: none was asked.
Found Collect(const Snapshot& state, std::string first, const Selection& selection, int64_t limit,
              const std::map<Revision, Json>& shown) {
  Found found;
  const std::string prefix = selection.ns().empty() ? std::string() : selection.ns() + "/";
  if (first < prefix) first = prefix;
  const bool counts = !selection.has_selectors();
  state.VisitFrom(first, [&](const ObjectPtr& object) {
    if (!object->key().starts_with(prefix)) return false;
    const auto converted = shown.find(object->revision());
    if (!selection.Matches(*object, converted == shown.end() ? nullptr : &converted->second)) return true;
    if (limit == 0 || found.objects.size() < static_cast<size_t>(limit)) {
      found.objects.push_back(object);
      return true;
    }
    if (found.next.empty()) found.next = object->key();
    ++found.remaining;
    return counts;  // Otherwise nobody asks how many there are.
  });
  return found;
}

// Those from key `first` on that may be selected.
std::vector<ObjectPtr> Candidates(const Snapshot& state, std::string_view first, const Selection& selection) {
  std::vector<ObjectPtr> found;
  state.VisitFrom(first, [&](const ObjectPtr& object) {
    if (selection.MayMatch(*object)) found.push_back(object);
    return true;
  });
  return found;
}

}  // namespace

const ApiServer::Compute* ApiServer::FindCompute(const Resource& resource) const {
  const auto found = computed_.find(&resource);
  return found == computed_.end() ? nullptr : &found->second;
}

Outcome<void> ApiServer::Get(Call& call) {
  if (const Compute* compute = FindCompute(*call.resource)) {
    const std::vector<ObjectPtr> found = (*compute)(call.ns, call.name);
    if (found.empty()) return NotFound(*call.resource, call.name);
    SendObject(call, 200, *found.front(), timers_.WallNow());
    return {};
  }
  const ObjectPtr object = BERTH_TRY(objects_.Get(*call.resource, call.ns, call.name));
  BERTH_CHECK_OK(Show(call, std::span(&object, 1)));
  SendObject(call, 200, *object, timers_.WallNow());
  return {};
}

Outcome<void> ApiServer::List(Call& call) {
  const ListOptions options = BERTH_TRY(ParseListOptions(call.target.query));
  Selection selection = BERTH_TRY(Selection::Create(*call.resource, call.ns, call.target.query.Get("labelSelector"),
                                                    call.target.query.Get("fieldSelector")));
  if (options.watch) {
    watches_.Open(std::move(call), std::move(selection), options);
    return {};
  }
  if (options.revision.value_or(0) <= store_.revision()) return AnswerList(call, options);
  timers_.After(kFutureWait, [this, options, waiting = std::move(call)]() mutable {
    if (*options.revision > store_.revision()) {
      return SendError(waiting, FromTheFuture(*options.revision, store_.revision()).error());
    }
    waiting.is_repeated = true;
    Attempt(std::move(waiting));
  });
  return {};
}

Outcome<void> ApiServer::AnswerList(Call& call, const ListOptions& options) {
  const Selection selection = BERTH_TRY(Selection::Create(
      *call.resource, call.ns, call.target.query.Get("labelSelector"), call.target.query.Get("fieldSelector")));
  Revision revision = store_.revision();
  page_expiry_.Note(timers_.Now(), revision);
  std::string first;
  if (!options.continues.empty()) {
    const ContinueToken token = BERTH_TRY(ParseContinue(options.continues));
    first = token.key;
    if (token.revision != ContinueToken::kAnyRevision) revision = token.revision;
  } else if (options.match == ListOptions::Match::kExact) {
    revision = *options.revision;
  }
  // A token from the future is one of a server that was here before.
  const bool is_known = first.empty() || (revision <= store_.revision() && !page_expiry_.IsExpired(revision));
  Snapshot::Objects computed;
  const auto find_state = [&]() -> std::optional<Snapshot> {
    if (const Compute* compute = FindCompute(*call.resource)) {
      for (const ObjectPtr& object : (*compute)(call.ns, {})) computed.emplace(object->key(), object);
      return Snapshot(computed, {});
    }
    return is_known ? store_.StateAt(*call.resource->stored, revision) : std::nullopt;
  };
  const std::optional<Snapshot> state = find_state();
  if (!state) {
    if (first.empty()) {
      return Expired(
          fmt::format("The resourceVersion for the provided list is too old: {} ({})", revision, store_.oldest()));
    }
    Refusal refusal = ExpiredToken();
    refusal.error().continues = FormatContinue({.revision = ContinueToken::kAnyRevision, .key = first});
    return refusal;
  }
  // Whoever takes any state gets all of it.
  const bool pages = options.limit > 0 && options.revision != Revision{0};
  // A converter shows all that may be selected before it can be said what is.
  const bool selects_shown = NeedsConverter(*call.resource) && selection.selects_shown();
  if (selects_shown) BERTH_CHECK_OK(Show(call, Candidates(*state, first, selection)));
  const Found found = Collect(*state, first, selection, pages ? options.limit : 0, call.shown);
  if (!selects_shown) BERTH_CHECK_OK(Show(call, found.objects));
  ListPage page{.objects = found.objects, .revision = revision};
  if (!found.next.empty()) {
    page.continues = FormatContinue({.revision = revision, .key = found.next});
    if (!selection.has_selectors()) page.remaining = found.remaining;
  }
  SendList(call, page, timers_.WallNow());
  return {};
}

Outcome<void> ApiServer::GetLog(Call& call) {
  for (const std::string_view name : {"sinceSeconds", "tailLines", "limitBytes"}) {
    BERTH_CHECK_OK(ParseIntParameter(call.target.query, name));
  }
  const ObjectPtr object = BERTH_TRY(objects_.Get(*call.resource, call.ns, call.name));
  // Simulated containers say nothing.
  if (object->Field("spec.nodeName").empty()) {
    call.exchange->Send(204, {}, std::make_shared<const std::string>());
  } else {
    SendText(call, 200, "text/plain", "");
  }
  return {};
}

}  // namespace berth::server
