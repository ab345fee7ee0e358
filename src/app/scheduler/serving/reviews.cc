// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/reviews.h"

#include <algorithm>
#include <utility>

#include "net/sha256.h"

namespace berth::scheduler_app {
namespace {

constexpr int kTriesMax = 5;
constexpr Duration kFirstPause = Milliseconds(500);
constexpr Duration kTimeout = Seconds(10);

bool MayPass(int status) { return status == 429 || status == 500 || status == 503 || status == 504; }

}  // namespace

struct Reviews::Running {
  explicit Running(runtime::Timers& timers) : pause(timers) {}
  std::vector<Done> waiting;
  client::RestClient::CallId call = 0;
  runtime::Timer pause;
  Duration next_pause = kFirstPause;
  int tries = 0;
};

Reviews::Reviews(client::RestClient& client, runtime::Timers& timers, std::string path, TimeToLive time_to_live)
    : client_(client), timers_(timers), path_(std::move(path)), time_to_live_(std::move(time_to_live)) {}

Reviews::~Reviews() {
  for (const auto& [question, running] : running_) client_.Cancel(running->call);
}

void Reviews::Ask(const std::string& question, Done done) {
  const auto remembered = remembered_.find(net::Sha256(question));
  if (remembered != remembered_.end() && timers_.Now() < remembered->second.until) {
    return done(std::string(remembered->second.answer));
  }
  const auto running = running_.find(question);
  const bool is_new = running == running_.end();
  if (waiting_ >= kWaitingMax || (is_new && running_.size() >= kRunningMax)) {
    return done(Fail(Code::kLimit, "too many reviews are under way"));
  }
  Running& asked = is_new ? *(running_[question] = std::make_unique<Running>(timers_)) : *running->second;
  asked.waiting.push_back(std::move(done));
  ++waiting_;
  if (is_new) Try(question);
}

void Reviews::Try(const std::string& question) {
  Running& running = *running_.at(question);
  ++running.tries;
  running.call =
      client_.Send({.method = "POST",
                    .path = path_,
                    .query = {},
                    .content_type = std::string(client::kJson),
                    .body = question,
                    .timeout = kTimeout},
                   [this, question](Result<client::RestAnswer> answer) { OnAnswer(question, std::move(answer)); });
}

void Reviews::OnAnswer(const std::string& question, Result<client::RestAnswer> answer) {
  Running& running = *running_.at(question);
  if ((!answer || MayPass(answer->status)) && running.tries < kTriesMax) {
    running.pause.Start(running.next_pause, [this, question] { Try(question); });
    running.next_pause.nanos = running.next_pause.nanos * 3 / 2;
    return;
  }
  if (!answer) return Finish(question, std::unexpected(answer.error()));
  if (!answer->ok()) return Finish(question, Fail(Code::kInternal, ErrorOf(*answer).message));

  Remember(question, answer->body);
  Finish(question, std::move(answer->body));
}

void Reviews::Remember(const std::string& question, const std::string& answer) {
  const Time now = timers_.Now();
  const Duration time_to_live = time_to_live_(answer);
  std::erase_if(remembered_, [&](const auto& entry) { return entry.second.until <= now; });
  if (time_to_live <= Duration{} || answer.size() > kRememberedBytesMax) return;
  if (remembered_.size() >= kRememberedMax) {
    remembered_.erase(std::ranges::min_element(remembered_, {}, [](const auto& entry) { return entry.second.until; }));
  }
  remembered_.insert_or_assign(net::Sha256(question), Remembered{answer, now + time_to_live});
}

void Reviews::Finish(const std::string& question, const Result<std::string>& answer) {
  // The question lives in what is taken out here.
  auto running = running_.extract(question);
  waiting_ -= running.mapped()->waiting.size();
  for (Done& done : running.mapped()->waiting) done(Result<std::string>(answer));
}

}  // namespace berth::scheduler_app
