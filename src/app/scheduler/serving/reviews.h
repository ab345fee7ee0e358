// SPDX-License-Identifier: Apache-2.0
// Reviews: questions to the API server that are asked again and again, such as who owns a token.
//
// A question is asked once while its answer is under way, and the answer is remembered for a while. Failures are
// repeated a few times with a growing pause and never remembered.
//
// Anybody who reaches the serving port can have questions asked, so what is under way, waits and is remembered is
// bounded. Beyond it a question is refused with Code::kLimit.
//
// Thread: that of the client.

#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/request/rest_client.h"
#include "runtime/timers.h"

namespace berth::scheduler_app {

class Reviews {
 public:
  // The answer is the body of the server's answer.
  using Done = std::move_only_function<void(Result<std::string>)>;
  using TimeToLive = std::function<Duration(const std::string& answer)>;

  // `path` is where questions are posted. All must outlive the reviews.
  Reviews(client::RestClient& client, runtime::Timers& timers, std::string path, TimeToLive time_to_live);
  ~Reviews();
  Reviews(const Reviews&) = delete;
  Reviews& operator=(const Reviews&) = delete;

  static constexpr size_t kRunningMax = 32;  // Questions under way.
  static constexpr size_t kWaitingMax = 64;  // Those who wait for an answer; fewer than may be connected.
  static constexpr size_t kRememberedMax = 1024;
  static constexpr size_t kRememberedBytesMax = 10'000;  // Of one answer, which may repeat the question.

  // `done` is called once, at once if the answer is remembered or the question refused, and not at all if the reviews
  // go first.
  void Ask(const std::string& question, Done done);

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Running;
  struct Remembered {
    std::string answer;
    Time until;
  };

  void Try(const std::string& question);
  void OnAnswer(const std::string& question, Result<client::RestAnswer> answer);
  void Remember(const std::string& question, const std::string& answer);
  void Finish(const std::string& question, const Result<std::string>& answer);

  client::RestClient& client_;
  runtime::Timers& timers_;
  const std::string path_;
  const TimeToLive time_to_live_;
  std::map<std::string, std::unique_ptr<Running>> running_;  // By question.
  size_t waiting_ = 0;                                       // In all of `running_`.
  std::map<Digest, Remembered> remembered_;                  // By the digest of the question, which may hold a secret.
};

}  // namespace berth::scheduler_app
