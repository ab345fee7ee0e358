// SPDX-License-Identifier: Apache-2.0
// ExtenderDialog: what extenders were asked in one attempt to schedule a pod, and what they said. ExtenderDialogs: the
// same for all pods of an attempt, which may be that of a group.
//
// An attempt that needs an answer puts its question here and ends. When the answer has come, the attempt is made again
// from the start, on the cluster as it is then, and finds the answer here. An answer speaks of the nodes and pods of
// its question; what has changed since is for the attempt to see.
//
// Thread: core.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/extender_protocol.h"
#include "scheduler/extenders.h"
#include "scheduler/input.h"

namespace berth::scheduler {

class ExtenderDialog {
 public:
  enum class Stage : uint8_t {
    kNominatedNode,  // The filter verb, for the nominated node alone.
    kFilter,
    kPrioritize,
    kPreempt,
  };
  struct Question {
    std::string verb;
    std::string body;
    std::vector<std::string> subjects;  // The nodes or, for kPreempt, "node/uid" of the pods that it is about; sorted.

    bool IsAbout(std::string_view subject) const;
  };
  using Answer = std::variant<Result<FilterAnswer>, Result<std::vector<HostPriority>>, Result<PreemptAnswer>>;
  struct Exchange {
    Question question;
    std::optional<uint64_t> effect;  // Absent: not sent yet.
    std::optional<Answer> answer;    // Absent: awaited.
  };

  // The exchange with the extender at this stage. Where there is none, `ask()` makes the question.
  template <class MakeQuestion>
  const Exchange& Ask(Stage stage, const Extender& extender, MakeQuestion ask) {
    const auto [it, is_new] = exchanges_.try_emplace({stage, extender.index});
    if (is_new) it->second.question = ask();
    return it->second;
  }

  // Whether an answer is missing.
  bool waits() const;
  // Sends the questions that were not sent yet.
  void Send(const cluster::PodPtr& pod, Outbox& outbox);
  // False if the effect is not one of these.
  bool Take(const EffectAnswer& answer);
  // No answer is wanted any more.
  void Cancel(Outbox& outbox) const;

  std::optional<size_t> search_start;  // Of the node search, once it was made.

 private:
  std::map<std::pair<Stage, size_t>, Exchange> exchanges_;  // By stage and index of the extender.
};

class ExtenderDialogs {
 public:
  // A member of a group may be placed more than once in an attempt; `occasion` tells these times apart.
  ExtenderDialog& Of(const cluster::PodPtr& pod, const std::string& occasion = "");

  // As ExtenderDialog has it.
  bool waits() const;
  void Send(Outbox& outbox);
  bool Take(const EffectAnswer& answer);
  void Cancel(Outbox& outbox) const;

 private:
  struct About {
    cluster::PodPtr pod;
    ExtenderDialog dialog;
  };
  std::map<std::pair<std::string, std::string>, About> dialogs_;  // By occasion and uid.
};

}  // namespace berth::scheduler
