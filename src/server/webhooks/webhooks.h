// SPDX-License-Identifier: Apache-2.0
// Webhooks: asks those of MutatingWebhookConfigurations and ValidatingWebhookConfigurations about writes, and
// converters of custom resources for other versions.
//
// Nothing waits here: a question is put into the dialog of its write, and the attempt ends; see WebhookDialog. Mutating
// webhooks are asked one after the other, as each sees what those before it made of the object, validating ones at
// once.
//
// Thread: that of the store.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "runtime/timers.h"
#include "server/admission/admission.h"
#include "server/policies/policy_run.h"
#include "server/store/store.h"
#include "server/webhooks/webhook_caller.h"
#include "server/webhooks/webhook_dialog.h"

namespace berth::server {

// A write as webhooks hear of it.
struct WebhookWrite {
  const AdmissionRequest& request;
  WebhookDialog& dialog;
  bool is_dry_run = false;
  std::vector<std::string>* warnings = nullptr;  // Takes what the client shall know; null: nobody asks.
};

class Webhooks {
 public:
  // REQUIRES: all outlive this.
  Webhooks(const Store& store, const Catalog& catalog, const runtime::Timers& timers, uint64_t seed);

  // Without one, as at first, no webhook is asked. REQUIRES: it outlives this, or nothing is written after it is gone.
  void SetCaller(WebhookCaller& caller) { caller_ = &caller; }
  // Whether there are webhooks that a write may have to ask, and thus needs a dialog.
  bool are_asked() const {
    return caller_ != nullptr && store_.Count(mutating_.kind) + store_.Count(validating_.kind) > 0;
  }

  // For a write that gives up after the time.
  std::shared_ptr<WebhookDialog> Open(Duration timeout);

  // Both fail if the write is refused, or answers are missing: then the dialog is waiting.
  // Lets mutating webhooks change the object. `readmit` lets those before them look at it once more, when webhooks have
  // changed it or `is_changed`: one of those had.
  Outcome<void> Mutate(const WebhookWrite& write, bool is_changed, const std::function<Outcome<void>()>& readmit);
  Outcome<void> Validate(const WebhookWrite& write);

  // The objects, which are in the form of one version of a custom resource, in that of another. Fails if the converter
  // does, or answers are missing: then the dialog is waiting. REQUIRES: one of the versions needs a converter.
  Outcome<std::vector<Json>> Convert(const Resource& from, const Resource& to, std::vector<Json> objects,
                                     WebhookDialog& dialog);

  // Calls webhooks with the questions of the dialog. `done` is called when it has all answers, never inside this call.
  // REQUIRES: it is waiting.
  void Send(std::shared_ptr<WebhookDialog> dialog, std::move_only_function<void()> done);

 private:
  class Asking;
  class Mutation;

  // Asks for some of the objects, unless there is an answer. Null: not yet.
  Outcome<const WebhookAnswer*> AskConverter(const Resource& view, const Resource& to, Json::List objects,
                                             WebhookDialog& dialog);

  struct Configuration {
    Revision revision{};
    TreePtr tree;
    std::vector<std::unique_ptr<const PolicyScope>> conditions;  // Of each webhook; null: it has none.
  };
  struct Kind {
    const Resource& kind;
    std::map<std::string, Configuration, std::less<>> known = {};  // By name, as they were when they were last asked.
  };
  struct Webhook {
    std::string id;  // Configuration, name, and the how-manieth of that name.
    const Json& spec;
    const PolicyScope* conditions;
  };

  // In the order in which they are asked.
  std::vector<Webhook> All(Kind& kind);

  const Store& store_;
  const Catalog& catalog_;
  const runtime::Timers& timers_;
  WebhookCaller* caller_ = nullptr;
  Random random_;
  Kind mutating_;
  Kind validating_;
};

}  // namespace berth::server
