// SPDX-License-Identifier: Apache-2.0
#include "record/replay.h"

#include <fmt/format.h>

#include <utility>

namespace berth::record {

Result<std::unique_ptr<Replay>> Replay::Open(std::istream& in, const framework::Registry& registry) {
  Reader reader = BERTH_TRY(Reader::Open(in, registry));
  std::unique_ptr<scheduler::Core> core = BERTH_TRY(MakeCore(reader.settings(), registry));
  return std::unique_ptr<Replay>(new Replay(std::move(reader), std::move(core)));
}

Result<void> Replay::Fetch() {
  if (!next_) next_ = BERTH_TRY(reader_.Next());
  return {};
}

Result<std::optional<Time>> Replay::PeekTime() {
  BERTH_CHECK_OK(Fetch());
  if (!next_) return std::nullopt;
  const auto* input = std::get_if<scheduler::Input>(&next_->what);
  if (input == nullptr) return Invalid(fmt::format("offset {}: a digest without an input", next_->offset));
  if (input->now < now_) return Invalid(fmt::format("offset {}: time goes back", next_->offset));
  return input->now;
}

Result<bool> Replay::Step() {
  const std::optional<Time> time = BERTH_TRY(PeekTime());
  if (!time) return false;
  const uint64_t offset = next_->offset;
  input_ = std::get<scheduler::Input>(std::move(next_->what));
  next_.reset();
  now_ = *time;
  ++step_count_;
  effects_ = core_->Step(input_);
  BERTH_CHECK_OK(Verify(offset));
  return true;
}

Result<void> Replay::Verify(uint64_t offset) {
  BERTH_CHECK_OK(Fetch());
  if (!next_) return {};  // The recorded program did not survive this step.
  const auto* digest = std::get_if<Digest>(&next_->what);
  if (digest == nullptr) return Invalid(fmt::format("offset {}: an input instead of a digest", next_->offset));
  const bool is_equal = digest->value == DigestOf(effects_);
  next_.reset();
  if (is_equal) return {};
  return Fail(Code::kConflict, fmt::format("offset {}: step {} at {} has other effects than were recorded", offset,
                                           step_count_, FormatTimeMicro(now_)));
}

bool TriedPod(const Replay& replay, std::string_view full_name) {
  const auto& attempt = replay.core().last_attempt();
  return attempt && attempt->pod->full_name() == full_name;
}

}  // namespace berth::record
