// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/core_thread.h"

#include "base/overloaded.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace berth::scheduler_app {
namespace {

// So many objects wait at most; a watch that brings more is not read for a while.
constexpr size_t kInboxLimit = 4096;
// Orders are handed on after so many pods at the latest, so that the API server works while the core goes on.
constexpr size_t kOrderBatch = 32;
// So many bindings may be under way when a pod is tried: more than a server works on at a time.
constexpr size_t kBindingsMax = 512;
// After it has done all there was, the core rests for so long, so that what comes meanwhile is taken up together:
// waking it for every answer costs more than the answer.
constexpr Duration kRest = Milliseconds(5);
// What is urgent ends a rest, but not more often than this in the long run, and so many times in a row: where pods come
// so fast, they are taken up together as well.
constexpr Duration kShortRestInterval = Milliseconds(20);
constexpr int64_t kShortRestsMax = 8;

std::unique_ptr<PoolParallelizer> MakeParallelizer(int32_t parallelism) {
  // More threads than processors would only wait for each other.
  const int64_t workers = std::min<int64_t>(parallelism, std::thread::hardware_concurrency());
  if (workers <= 1) return nullptr;
  return std::make_unique<PoolParallelizer>(static_cast<size_t>(workers));
}

}  // namespace

CoreThread::CoreThread(Parts parts)
    : parallelizer_(MakeParallelizer(parts.parallelism)),
      core_(std::move(parts.core)),
      recording_(std::move(parts.recording)),
      clock_(parts.clock),
      carry_out_(std::move(parts.carry_out)),
      inbox_(kInboxLimit, std::move(parts.on_emptied)),
      thread_([this] { Run(); }) {}

CoreThread::~CoreThread() {
  stopping_ = true;
  inbox_.Push(Question([](const scheduler::Core&) {}));  // Wakes it.
}

void CoreThread::Run() {
  pthread_setname_np(pthread_self(), "berth-core");  // As /proc and top show it.
  baton_.Take();
  core_->set_parallelizer(parallelizer_.get());
  std::vector<Item> items;
  while (!stopping_) {
    Await(items);
    for (Item& item : items) {
      Apply(std::move(item));
      baton_.Yield();
    }
    const std::optional<Time> deadline = core_->NextDeadline();
    if (deadline && clock_.Now() >= *deadline) Step({clock_.Now(), scheduler::PassTime{}});
    if (HasWork() && !inbox_.HasItems()) Step({clock_.Now(), scheduler::ScheduleNext{}});
    const bool is_idle = !inbox_.HasItems() && !HasWork();
    if (is_idle || orders_.size() >= kOrderBatch) HandOrdersOn();
    if (is_idle && recording_) recording_->Rest();
    // Whoever waits for an extender would wait for the rest as well.
    const bool rests = is_idle && !stopping_ && core_->waiting_for_extenders().empty();
    if (!rests) continue;
    const runtime::BatonGivenUp given_up(baton_);
    Rest();
  }
  baton_.Give();
}

void CoreThread::Rest() {
  const Time now = clock_.Now();
  if ((rests_until_ - now).nanos > kShortRestsMax * kShortRestInterval.nanos) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(kRest.nanos));
  } else if (inbox_.Rest(kRest)) {
    rests_until_ = std::max(rests_until_, now) + kShortRestInterval;
  }
}

void CoreThread::Await(std::vector<Item>& items) {
  const std::optional<Duration> wait = MaxWait();
  if (wait && wait->nanos == 0) {
    baton_.Yield();
    return inbox_.Take(items, wait);
  }
  const runtime::BatonGivenUp given_up(baton_);
  inbox_.Take(items, wait);
}

void CoreThread::HandOrdersOn() {
  if (!orders_.empty()) carry_out_(std::exchange(orders_, {}));
}

bool CoreThread::HasWork() const { return scheduling_ && unanswered_.size() < kBindingsMax && core_->HasWork(); }

std::optional<Duration> CoreThread::MaxWait() const {
  if (HasWork()) return Duration{};
  const std::optional<Time> deadline = core_->NextDeadline();
  if (!deadline) return std::nullopt;
  return std::max(*deadline - clock_.Now(), Duration{});
}

void CoreThread::Apply(Item item) {
  const auto step = [&](auto what) { Step({clock_.Now(), std::move(what)}); };
  std::visit(Overloaded{
                 [&](scheduler::PutObject& put) { step(std::move(put)); },
                 [&](client::Decode& decode) {
                   if (std::optional<scheduler::PutObject> put = decode()) step(*std::move(put));
                 },
                 [&](scheduler::RemoveObject& removed) { step(std::move(removed)); },
                 [&](scheduler::EffectAnswer& answer) {
                   unanswered_.erase(answer.id);
                   step(std::move(answer));
                 },
                 [&](scheduler::Reconfigure& changed) { step(std::move(changed)); },
                 [&](Question& question) {
                   // Whoever asks has been told before of everything that led to the answer.
                   HandOrdersOn();
                   question(*core_);
                 },
                 [&](StartScheduling) { scheduling_ = true; },
                 [&](StopScheduling) { scheduling_ = false; },
             },
             item);
}

void CoreThread::Step(scheduler::Input input) {
  if (recording_) recording_->BeforeStep(input);
  std::vector<scheduler::IssuedEffect> effects = core_->Step(std::move(input));
  if (recording_) recording_->AfterStep(effects);
  if (effects.empty()) return;
  const Time wall = clock_.Wall();
  for (scheduler::IssuedEffect& effect : effects) {
    const client::Order& order = orders_.emplace_back(client::OrderOf(std::move(effect), wall));
    if (std::holds_alternative<client::BindOrder>(order.what)) unanswered_.insert(order.id);
  }
}

}  // namespace berth::scheduler_app
