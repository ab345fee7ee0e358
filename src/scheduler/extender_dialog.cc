// SPDX-License-Identifier: Apache-2.0
#include "scheduler/extender_dialog.h"

#include <algorithm>

namespace berth::scheduler {
namespace {

template <class T>
Result<T> Read(const EffectAnswer& answer, Result<T> (*decode)(std::string_view)) {
  if (answer.code == EffectAnswer::Code::kOk) return decode(answer.message);
  return Fail(Code::kUnavailable, answer.message);
}

ExtenderDialog::Answer Read(ExtenderDialog::Stage stage, const EffectAnswer& answer) {
  switch (stage) {
    case ExtenderDialog::Stage::kNominatedNode:
    case ExtenderDialog::Stage::kFilter: break;
    case ExtenderDialog::Stage::kPrioritize: return Read(answer, DecodePrioritizeAnswer);
    case ExtenderDialog::Stage::kPreempt: return Read(answer, DecodePreemptAnswer);
  }
  return Read(answer, DecodeFilterAnswer);
}

}  // namespace

bool ExtenderDialog::Question::IsAbout(std::string_view subject) const {
  return std::ranges::binary_search(subjects, subject);
}

bool ExtenderDialog::waits() const {
  return std::ranges::any_of(exchanges_, [](const auto& entry) { return !entry.second.answer; });
}

void ExtenderDialog::Send(const cluster::PodPtr& pod, Outbox& outbox) {
  for (auto& [key, exchange] : exchanges_) {
    if (exchange.effect) continue;
    Question& question = exchange.question;
    exchange.effect =
        outbox.Send(framework::CallExtender{pod, key.second, std::move(question.verb), std::move(question.body)});
  }
}

bool ExtenderDialog::Take(const EffectAnswer& answer) {
  for (auto& [key, exchange] : exchanges_) {
    if (exchange.effect != answer.id || exchange.answer) continue;
    exchange.answer = Read(key.first, answer);
    return true;
  }
  return false;
}

void ExtenderDialog::Cancel(Outbox& outbox) const {
  for (const auto& [key, exchange] : exchanges_) {
    if (exchange.effect && !exchange.answer) outbox.Send(framework::CancelExtenderCall{*exchange.effect});
  }
}

ExtenderDialog& ExtenderDialogs::Of(const cluster::PodPtr& pod, const std::string& occasion) {
  About& about = dialogs_[{occasion, pod->uid}];
  about.pod = pod;
  return about.dialog;
}

bool ExtenderDialogs::waits() const {
  return std::ranges::any_of(dialogs_, [](const auto& entry) { return entry.second.dialog.waits(); });
}

void ExtenderDialogs::Send(Outbox& outbox) {
  for (auto& [key, about] : dialogs_) about.dialog.Send(about.pod, outbox);
}

bool ExtenderDialogs::Take(const EffectAnswer& answer) {
  return std::ranges::any_of(dialogs_, [&](auto& entry) { return entry.second.dialog.Take(answer); });
}

void ExtenderDialogs::Cancel(Outbox& outbox) const {
  for (const auto& [key, about] : dialogs_) about.dialog.Cancel(outbox);
}

}  // namespace berth::scheduler
