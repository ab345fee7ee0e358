// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/reviews.h"

#include <utility>

namespace berth::scheduler_app {
namespace {

constexpr int kTriesMax = 5;
constexpr Duration kFirstPause = Milliseconds(500);
constexpr Duration kTimeout = Seconds(10);
constexpr size_t kRememberedMax = 4096;

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
  const auto remembered = remembered_.find(question);
  if (remembered != remembered_.end() && timers_.Now() < remembered->second.until) {
    return done(std::string(remembered->second.answer));
  }
  std::unique_ptr<Running>& running = running_[question];
  const bool is_new = !running;
  if (is_new) running = std::make_unique<Running>(timers_);
  running->waiting.push_back(std::move(done));
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

  const Time now = timers_.Now();
  std::erase_if(remembered_, [&](const auto& entry) { return entry.second.until <= now; });
  if (remembered_.size() < kRememberedMax) {
    remembered_.insert_or_assign(question, Remembered{answer->body, now + time_to_live_(answer->body)});
  }
  Finish(question, std::move(answer->body));
}

void Reviews::Finish(const std::string& question, const Result<std::string>& answer) {
  // The question lives in what is taken out here.
  auto running = running_.extract(question);
  for (Done& done : running.mapped()->waiting) done(Result<std::string>(answer));
}

}  // namespace berth::scheduler_app
