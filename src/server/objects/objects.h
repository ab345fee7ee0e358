// SPDX-License-Identifier: Apache-2.0
// Objects: creates, changes and deletes objects by the rules of the API.
//
// Requests over HTTP and the controllers of the simulated cluster write through it alone, so nothing gets into the
// store that was not defaulted, admitted and validated. A change that changes nothing is no write: the object keeps its
// resourceVersion and nobody is told.
//
// Thread: that of the store.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "runtime/timers.h"
#include "server/admission/admission.h"
#include "server/model/status.h"
#include "server/policies/mutating_policies.h"
#include "server/policies/policies.h"
#include "server/store/store.h"
#include "server/webhooks/webhooks.h"

namespace berth::server {

class ParkedWrites;

struct WriteOptions {
  std::string manager = {};      // Who owns the fields that are set; empty: that is not recorded.
  std::string subresource = {};  // Empty: the object itself.
  bool dry_run = false;          // Everything but the write.
  // Whether whoever writes may make it so, once it is admitted; `old` is null if there is none. Null: they may.
  std::function<Outcome<void>(const Json& object, const Json* old)> may = {};
  std::vector<std::string>* warnings = nullptr;  // Takes what the client shall know; null: nobody asks.
  WhoAsks user = {};
  // What webhooks are asked, by whoever repeats the write when it is waiting. Null: the write is parked where they have
  // a say, and refused for now.
  WebhookDialog* dialog = nullptr;
  bool is_admitted = false;  // Webhooks were asked already.
};

struct DeleteOptions {
  enum class Propagation : uint8_t { kDefault, kBackground, kForeground, kOrphan };

  std::optional<int64_t> grace_seconds = {};
  // Preconditions; empty: none.
  std::string uid = {};
  std::string resource_version = {};
  Propagation propagation = Propagation::kDefault;
  bool dry_run = false;
  std::vector<std::string>* warnings = nullptr;  // These as above.
  WhoAsks user = {};
  WebhookDialog* dialog = nullptr;
  bool is_admitted = false;  // Policies and webhooks have no say, or had it already.
};

class Objects {
 public:
  // What an object shall be, given what it is, both in the form of the resource. May fail.
  using Edit = std::move_only_function<Outcome<Json>(const Json& current)>;
  // How an object that does not exist yet shall be.
  using Make = std::move_only_function<Outcome<Json>()>;
  struct Written {
    ObjectPtr object;
    bool is_new = false;
  };
  struct Deleted {
    ObjectPtr object;      // As it was last.
    bool is_gone = false;  // It still exists otherwise, marked.
  };

  // Without `tracks_fields`, nobody will ask who owns which field, and it is not recorded. REQUIRES: all outlive this.
  Objects(const Catalog& catalog, Store& store, const runtime::Timers& timers, uint64_t seed,
          bool tracks_fields = true);
  ~Objects();
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  const Catalog& catalog() const { return catalog_; }
  const Store& store() const { return store_; }
  Time now() const { return timers_.WallNow(); }
  Admission& admission() { return admission_; }
  Webhooks& webhooks() { return webhooks_; }

  // Fails if there is none. In the form in which it is stored.
  Outcome<ObjectPtr> Get(const Resource& resource, std::string_view ns, std::string_view name) const;

  // `object` is canonical and in the form of the resource.
  Outcome<ObjectPtr> Create(const Resource& resource, std::string_view ns, Json object, const WriteOptions& options);

  // The edit's result may carry a resourceVersion or uid, which then must be the present one. `make`, if given, creates
  // the object if there is none. With `tracks` off, the edit has taken care of the managed fields.
  Outcome<Written> Update(const Resource& resource, std::string_view ns, std::string_view name,
                          const WriteOptions& options, Edit edit, Make make = {}, bool tracks = true);

  Outcome<Deleted> Delete(const Resource& resource, std::string_view ns, std::string_view name,
                          const DeleteOptions& options);

  // Asks webhooks about something that is not kept, such as a Binding, which they may change.
  Outcome<void> AskWebhooks(const AdmissionRequest& request, const WriteOptions& options);

  // Changes an object without asking its strategy or admission: what the server itself decided, such as a binding. A
  // change that changes nothing is no write here either. Bounds are not looked at: such changes are small, and must not
  // fail.
  ObjectPtr Overwrite(const StoredObject& present, Json object, bool dry_run);

  // Puts an object into the store as it is, such as one from a dump. What is missing of its metadata is added. Fails if
  // it cannot be stored under its name, or at all.
  Outcome<void> Restore(const Resource& resource, Json object);
  // Takes an object out of the store at once, whatever holds it. REQUIRES: it is there.
  void Forget(const StoredObject& present) { Drop(present.resource(), present.Tree(), false); }

 private:
  // `prefix`: of a generated name, by which a refusal before validation calls the object; otherwise empty.
  Outcome<ObjectPtr> TryCreate(const Resource& resource, std::string_view ns, Json object, const WriteOptions& options,
                               std::string prefix);
  Outcome<void> CheckVersion(const Resource& resource, std::string_view name, const Json& next, const StoredObject& old,
                             bool is_status) const;
  void Track(const Resource& resource, const Json* old, Json& object, const WriteOptions& options) const;
  // Of an attempt: all at one write have the same.
  Time TimeOf(const WebhookDialog* dialog) const { return dialog != nullptr ? dialog->now() : now(); }
  Random& RandomOf(WebhookDialog* dialog) { return dialog != nullptr ? dialog->random() : random_; }
  static Random* ChanceOf(WebhookDialog* dialog) { return dialog != nullptr ? &dialog->random() : nullptr; }
  // Whether a write without a dialog has to get one.
  bool IsToPark(const WebhookDialog* dialog, bool is_admitted) const {
    return dialog == nullptr && !is_admitted && webhooks_.are_asked();
  }
  // What the server's own rules and policies make of the object before webhooks see it.
  Outcome<void> Admit(const AdmissionRequest& request, MutatingPolicies::Turns& policies);
  // What webhooks make of it, and the same rules once it was changed.
  Outcome<void> Mutate(const AdmissionRequest& request, const WriteOptions& options, MutatingPolicies::Turns& policies);
  // The same for a new object, and its name after that: a generated one comes behind webhooks, unless one gives it.
  Outcome<std::string> MutateNew(AdmissionRequest request, bool is_generated, const WriteOptions& options,
                                 MutatingPolicies::Turns& policies);
  Outcome<void> Validate(const AdmissionRequest& request, const WriteOptions& options);
  // What a write that nothing can stop any more uses of quotas.
  void Charge(const std::vector<QuotaCharge>& charges);
  // An object in the form of the resource as it is stored, and back. Both fail if a converter has to be asked first:
  // then the dialog is waiting. REQUIRES: there is a dialog, or no converter is needed.
  Outcome<Json> Kept(const Resource& resource, Json object, WebhookDialog* dialog);
  Outcome<Json> Shown(const Resource& resource, const Json& stored, WebhookDialog* dialog);
  // Of objects as they are stored.
  ObjectPtr Write(const Resource& resource, Json object, bool dry_run);
  ObjectPtr Drop(const Resource& resource, Json last, bool dry_run);

  const Catalog& catalog_;
  Store& store_;
  const runtime::Timers& timers_;
  const bool tracks_fields_;
  Admission admission_;
  MutatingPolicies mutating_;
  Policies policies_;
  Webhooks webhooks_;
  const std::unique_ptr<ParkedWrites> parked_;
  Random random_;
};

// A write that was meant for another version of the object, or for another object.
Refusal PreconditionFailed(const StoredObject& object, std::string_view what, std::string_view asked,
                           std::string_view present);

}  // namespace berth::server
