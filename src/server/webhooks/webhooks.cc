// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/webhooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "api/document/field_error.h"
#include "base/uuid.h"
#include "server/model/strategy.h"
#include "server/patch/json_patch.h"
#include "server/policies/policy_match.h"
#include "server/policies/request_view.h"
#include "server/webhooks/conversion_review.h"
#include "server/webhooks/webhook_answer.h"
#include "server/webhooks/webhook_target.h"
#include "telemetry/log.h"

namespace berth::server {
namespace {

constexpr std::string_view kRegistration = "admissionregistration.k8s.io";
constexpr int64_t kDefaultTimeoutSeconds = 10;
// Validating webhooks that are asked at once; each is told the whole object. The next ones follow.
constexpr size_t kAskedMax = 100;

Refusal NoTimeLeft() {
  return std::unexpected(StatusError{
      .code = 504, .reason = "Timeout", .message = "Timeout: request did not complete within requested timeout"});
}

// Seen by nobody: whoever made the attempt looks at the dialog.
Refusal AnswersMissing() {
  return std::unexpected(StatusError{
      .code = 503, .reason = "ServiceUnavailable", .message = "the write waits for the answers of admission webhooks"});
}

// What is written is the kind of its resource, unless a subresource has one of its own.
ObjectSchema SchemaOfWrite(const AdmissionRequest& request) {
  const Subresource* const part = request.resource.FindSubresource(request.subresource);
  if (part == nullptr || part->kind == request.resource.kind) return request.resource.schema();
  const std::string api_version = part->version.empty() ? std::string(request.resource.api_version)
                                  : part->group.empty() ? std::string(part->version)
                                                        : fmt::format("{}/{}", part->group, part->version);
  const api::wire::Kind* const kind = api::wire::FindKind(api_version, part->kind);
  return kind == nullptr ? request.resource.schema() : ObjectSchema(api::wire::MessageAt(kind->message));
}

}  // namespace

// Asks webhooks about one write.
class Webhooks::Asking {
 public:
  Asking(Webhooks& webhooks, const WebhookWrite& write) : webhooks_(webhooks), write_(write), request_(write.request) {}

  // The view of the resource in which the webhook sees the request. Null: the request does not concern it.
  Outcome<const Resource*> Match(const Webhook& webhook) {
    const auto match = FindWebhookMatch(webhook.spec, request_, webhooks_.store_, webhooks_.catalog_);
    if (!match) return NotFound(webhooks_.catalog_.Get("", "namespaces"), request_.ns);
    if (*match == nullptr) return *match;
    if (const std::string problem = ViewProblem(request_, **match); !problem.empty()) {
      return Forbidden(request_.resource, request_.name,
                       fmt::format("admission webhook {}: {}", Name(webhook), problem));
    }
    if (webhook.conditions == nullptr) return *match;
    const Json object = InForm(request_.object, request_.resource, **match);
    const Json old = InForm(request_.old, request_.resource, **match);
    const Json asked = DescribeRequest(request_, **match, write_.is_dry_run, DescribeUser(request_.user));
    const Json none;
    std::string error;
    if (spent_ > kPoliciesSpentMax) {
      return Forbidden(request_.resource, request_.name,
                       "the conditions of all webhooks together cost more than can be spent on one write");
    }
    const std::optional<bool> holds = webhook.conditions->Matches({object, old, asked, none, none}, spent_, error);
    if (!holds) return Forbidden(request_.resource, request_.name, error);
    return *holds ? *match : nullptr;
  }

  // Null, and the dialog is waiting, if there is no answer yet. One that says why there will be none may be ignored.
  Outcome<const WebhookAnswer*> Ask(const Webhook& webhook, const Resource& as, bool mutates, int round) {
    const std::string& effects = webhook.spec["sideEffects"].text();
    if (write_.is_dry_run && effects != "None" && effects != "NoneOnDryRun") {
      return BadRequest(fmt::format("admission webhook {} does not support dry run", Name(webhook)));
    }
    const std::string version = ReviewVersion(webhook.spec["admissionReviewVersions"]);
    if (version.empty()) {
      return Failed(
          "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)");
    }
    const std::string id = fmt::format("{}/{}", webhook.id, round);
    const Json asked = Describe(as);
    if (const WebhookAnswer* const answer = write_.dialog.Find(id, asked)) return answer;
    return Put(webhook, id, asked, {.version = version, .mutates = mutates});
  }

  // What the answer means, unless it is one that may be ignored.
  Outcome<void> Judge(const Webhook& webhook, const WebhookAnswer& answer) {
    if (!answer.failure.empty()) return Fail(webhook, answer.failure);
    if (write_.warnings != nullptr) {
      write_.warnings->insert(write_.warnings->end(), answer.warnings.begin(), answer.warnings.end());
    }
    if (!answer.is_allowed) return DeniedBy(webhook.spec["name"].text(), answer.result);
    return {};
  }

  // The webhook was not heard, whatever is the reason.
  static Outcome<void> Fail(const Webhook& webhook, std::string_view why) {
    const std::string message = fmt::format("failed calling webhook {}: {}", Name(webhook), why);
    if (!Ignores(webhook)) return InternalError(message);
    telemetry::LogInfo("A webhook was not heard, which it allows", "err", message);
    return {};
  }

  static std::string Name(const Webhook& webhook) { return api::GoQuote(webhook.spec["name"].text()); }

 private:
  static bool Ignores(const Webhook& webhook) { return webhook.spec["failurePolicy"].text() == "Ignore"; }

  static std::string ReviewVersion(const Json& versions) {
    for (const Json& version : versions.items()) {
      if (version.text() == "v1" || version.text() == "v1beta1") return version.text();
    }
    return {};
  }

  Json Describe(const Resource& as) const {
    Json asked = DescribeRequest(request_, as, write_.is_dry_run, DescribeUser(request_.user));
    asked.Set("object", InForm(request_.object, request_.resource, as));
    asked.Set("oldObject", InForm(request_.old, request_.resource, as));
    return asked;
  }

  const WebhookAnswer* Failed(std::string why) {
    failed_ = {.failure = std::move(why)};
    return &failed_;
  }

  Outcome<const WebhookAnswer*> Put(const Webhook& webhook, const std::string& id, const Json& request,
                                    AskedReview asked) {
    const Json& config = webhook.spec["clientConfig"];
    const int64_t seconds = webhook.spec["timeoutSeconds"].IntOr(kDefaultTimeoutSeconds);
    const Time now = webhooks_.timers_.Now();
    if (now >= write_.dialog.deadline()) return NoTimeLeft();
    Random& random = webhooks_.random_;
    asked.uid = MakeUuid(random.Next(), random.Next());
    asked.url = WebhookUrl(config, seconds);
    Result<WebhookCall> call = AddressWebhook(config, seconds, webhooks_.store_, webhooks_.catalog_);
    if (!call) {
      return Failed(fmt::format("failed to call webhook: Post {}: {}", api::GoQuote(asked.url), call.error().message));
    }
    Json full = request;
    full.Set("uid", asked.uid);
    call->body = Json{{"kind", Json::String("AdmissionReview")},
                      {"apiVersion", Json::String("admission.k8s.io/" + asked.version)},
                      {"request", std::move(full)}}
                     .ToText();
    call->timeout = std::min(Seconds(seconds), write_.dialog.deadline() - now);
    write_.dialog.Ask({.webhook = id, .request = request, .asked = std::move(asked), .call = *std::move(call)});
    return nullptr;
  }

  Webhooks& webhooks_;
  const WebhookWrite& write_;
  const AdmissionRequest& request_;
  WebhookAnswer failed_;
  int64_t spent_ = 0;
};

// The turns of mutating webhooks: one for all, and one more for those that want it, if the object was changed after
// they saw it.
class Webhooks::Mutation {
 public:
  Mutation(Webhooks& webhooks, const WebhookWrite& write, bool is_changed)
      : write_(write),
        object_(write.request.object),
        asking_(webhooks, write),
        all_(webhooks.All(webhooks.mutating_)),
        is_changed_(is_changed) {}

  Outcome<void> Run(const std::function<Outcome<void>()>& readmit) {
    BERTH_CHECK_OK(Turn(0));
    if (!is_changed_) return {};
    const Json made = *object_;
    BERTH_CHECK_OK(readmit());
    if (*object_ != made) AskAgain();
    return Turn(1);
  }

 private:
  Outcome<void> Turn(int round) {
    for (const Webhook& webhook : all_) {
      const Resource* const as = BERTH_TRY(asking_.Match(webhook));
      if (as == nullptr || (round > 0 && !again_.contains(webhook.id))) continue;
      const WebhookAnswer* const answer = BERTH_TRY(asking_.Ask(webhook, *as, true, round));
      if (answer == nullptr) return AnswersMissing();
      BERTH_CHECK_OK(asking_.Judge(webhook, *answer));
      if (answer->failure.empty()) BERTH_CHECK_OK(Apply(webhook, *as, *answer));
      if (webhook.spec["reinvocationPolicy"].text() == "IfNeeded") asked_.insert(webhook.id);
    }
    return {};
  }

  // All that want it and have seen an object that is another one by now.
  void AskAgain() { again_.merge(std::exchange(asked_, {})); }

  Outcome<void> Apply(const Webhook& webhook, const Resource& as, const WebhookAnswer& answer) {
    if (answer.patch.empty()) return {};
    const Result<Json> patch = api::ParseTree(answer.patch);
    if (!patch || !patch->is_list()) {
      const std::string why = patch ? "a JSON patch is a list of operations" : patch.error().message;
      return Asking::Fail(webhook, fmt::format("received undecodable patch in webhook response: {}", why));
    }
    if (patch->empty()) return {};
    if (object_ == nullptr) {
      return InternalError(
          fmt::format("admission webhook {} attempted to modify the object, which is not supported for this operation",
                      Asking::Name(webhook)));
    }
    if (answer.patch_type != "JSONPatch") {
      return Asking::Fail(webhook, fmt::format("unsupported patch type {}", api::GoQuote(answer.patch_type)));
    }
    Outcome<Json> patched = ApplyJsonPatch(InForm(object_, write_.request.resource, as), *patch);
    if (!patched)
      return InternalError(
          fmt::format("the patch of admission webhook {}: {}", Asking::Name(webhook), patched.error().message));
    Json made = &as == &write_.request.resource
                    ? *std::move(patched)
                    : FromStored(write_.request.resource, ToStored(as, *std::move(patched)));
    BERTH_CHECK_OK(Settle(made));
    if (made == *object_) return {};
    *object_ = std::move(made);
    is_changed_ = true;
    AskAgain();
    return {};
  }

  // Brings what a patch has left into canonical form, with defaults.
  Outcome<void> Settle(Json& object) const {
    const AdmissionRequest& request = write_.request;
    if (const Result<void> canonical = SchemaOfWrite(request).Canonicalize(object); !canonical) {
      return InternalError(canonical.error().message);
    }
    if (object["kind"] != (*object_)["kind"] || object["apiVersion"] != (*object_)["apiVersion"]) {
      return InternalError("an admission webhook may not change the kind of an object");
    }
    if (request.subresource == "status") {
      request.resource.strategy->DefaultStatus(object);
    } else if (object["kind"].text() == request.resource.kind) {
      request.resource.strategy->Default(object, request.verb == Verb::kCreate);
    }
    return {};
  }

  const WebhookWrite& write_;
  Json* const object_;  // Null for deletions.
  Asking asking_;
  const std::vector<Webhook> all_;
  std::set<std::string> asked_;  // By id; only those that want to be asked again.
  std::set<std::string> again_;
  bool is_changed_;
};

Webhooks::Webhooks(const Store& store, const Catalog& catalog, const runtime::Timers& timers, uint64_t seed)
    : store_(store),
      catalog_(catalog),
      timers_(timers),
      random_(seed),
      mutating_{.kind = catalog.Get(kRegistration, "mutatingwebhookconfigurations")},
      validating_{.kind = catalog.Get(kRegistration, "validatingwebhookconfigurations")} {}

std::shared_ptr<WebhookDialog> Webhooks::Open(Duration timeout) {
  return std::make_shared<WebhookDialog>(random_.Next(), timers_.WallNow(), timers_.Now() + timeout);
}

std::vector<Webhooks::Webhook> Webhooks::All(Kind& kind) {
  const Store::Objects& all = store_.All(kind.kind);
  if (all.size() < kind.known.size()) {
    std::erase_if(kind.known, [&](const auto& entry) { return !all.contains(entry.first); });
  }
  std::vector<Webhook> webhooks;
  for (const auto& [name, object] : all) {
    Configuration& known = kind.known[name];
    if (known.tree == nullptr || known.revision != object->revision()) {
      known = {.revision = object->revision(), .tree = object->tree(), .conditions = {}};
      PolicyCompiler compiler(false, false);
      for (const Json& webhook : (*known.tree)["webhooks"].items()) {
        known.conditions.push_back(
            webhook["matchConditions"].empty() ? nullptr : std::make_unique<PolicyScope>(webhook, compiler));
      }
    }
    const Json::List& items = (*known.tree)["webhooks"].items();
    std::map<std::string_view, size_t> of_name;
    for (size_t i = 0; i < items.size(); ++i) {
      const std::string& own = items[i]["name"].text();
      webhooks.push_back({fmt::format("{}/{}/{}", name, own, of_name[own]++), items[i], known.conditions[i].get()});
    }
  }
  return webhooks;
}

Outcome<void> Webhooks::Mutate(const WebhookWrite& write, bool is_changed,
                               const std::function<Outcome<void>()>& readmit) {
  // No webhook can keep another from being changed.
  if (write.request.resource.group == kRegistration) return is_changed ? readmit() : Outcome<void>();
  return Mutation(*this, write, is_changed).Run(readmit);
}

Outcome<void> Webhooks::Validate(const WebhookWrite& write) {
  if (write.request.resource.group == kRegistration) return {};
  const std::vector<Webhook> all = All(validating_);
  Asking asking(*this, write);
  std::optional<StatusError> refusal;
  for (const Webhook& webhook : all) {
    const Resource* const as = BERTH_TRY(asking.Match(webhook));
    if (as == nullptr) continue;
    const Outcome<const WebhookAnswer*> answer = asking.Ask(webhook, *as, false, 0);
    const Outcome<void> judged = !answer              ? std::unexpected(answer.error())
                                 : *answer == nullptr ? Outcome<void>()
                                                      : asking.Judge(webhook, **answer);
    if (!judged && !refusal) refusal = judged.error();
    if (write.dialog.open_count() == kAskedMax) break;
  }
  if (write.dialog.is_waiting()) return AnswersMissing();
  if (refusal) return std::unexpected(*std::move(refusal));
  return {};
}

void Webhooks::Send(std::shared_ptr<WebhookDialog> dialog, std::move_only_function<void()> done) {
  struct Round {
    size_t missing;
    std::move_only_function<void()> done;
  };
  std::vector<WebhookQuestion> questions = dialog->TakeOpen();
  const auto round = std::make_shared<Round>(questions.size(), std::move(done));
  for (WebhookQuestion& question : questions) {
    WebhookCall call = std::move(question.call);
    caller_->Call(std::move(call), [dialog, round, question = std::move(question)](const Result<WebhookReply>& reply) {
      dialog->Answer(question, question.asked.converts ? ReadConversion(question.asked, question.request, reply)
                                                       : ReadWebhookAnswer(question.asked, reply));
      if (--round->missing == 0) round->done();
    });
  }
}

}  // namespace berth::server
