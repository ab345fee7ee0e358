// SPDX-License-Identifier: Apache-2.0
#include "app/up/progress.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "app/command_line/standard_output.h"

namespace berth::up {
namespace {

// A burst is over when nothing happened for so long.
constexpr Duration kQuiet = Seconds(1);

}  // namespace

Progress::Progress(server::Store& store, const server::Catalog& catalog, runtime::Timers& timers)
    : store_(store), timers_(timers), pods_(catalog.Get("", "pods")), report_(timers) {
  store.Listen([this](const server::ChangePtr& change) { OnChange(*change); });
}

void Progress::OnChange(const server::Change& change) {
  if (&change.object->resource() != &pods_) return;
  if (change.type == server::Change::Type::kAdded) Touch();
  if (change.type != server::Change::Type::kModified) return;
  const auto became = [&](std::string_view field, std::string_view value) {
    return change.object->Field(field) == value && change.before->Field(field) != value;
  };
  if (became("status.phase", "Running")) {
    ++running_;
    Touch();
  }
  if (change.object->Field("spec.nodeName").empty() || !change.before->Field("spec.nodeName").empty()) return;
  Touch();
  last_ = timers_.Now();
  if (bound_++ == 0) first_ = last_;
}

void Progress::Touch() {
  active_ = timers_.Now();
  if (!report_.is_running()) report_.Start(kQuiet, [this] { Report(); });
}

void Progress::Report() {
  if (const Duration since = timers_.Now() - active_; since < kQuiet) {
    report_.Start(kQuiet - since, [this] { Report(); });
    return;
  }
  const double seconds = static_cast<double>((last_ - first_).nanos) / 1e9;
  // A rate of a few pods says nothing.
  const std::string rate = bound_ < 10 || seconds <= 0 ? std::string()
                                                       : fmt::format(" in {:.2f} s: {:.0f} pods/s", seconds,
                                                                     static_cast<double>(bound_) / seconds);
  app::Print(fmt::format("{} bound {} {}{}; {} became Running; {}\n", FormatTime(timers_.WallNow()), bound_,
                         bound_ == 1 ? "pod" : "pods", rate, running_, Total()));
  app::FlushOutput();
  bound_ = 0;
  running_ = 0;
}

std::string Progress::Total() const {
  size_t unbound = 0;
  std::map<std::string, size_t, std::less<>> phases;
  for (const auto& [key, pod] : store_.All(pods_)) {
    if (pod->Field("spec.nodeName").empty()) ++unbound;
    const std::string_view phase = pod->Field("status.phase");
    ++phases[std::string(phase.empty() ? "Pending" : phase)];
  }
  std::string total = fmt::format("total {}", store_.Count(pods_));
  for (const auto& [phase, count] : phases) total += fmt::format(", {} {}", count, phase);
  if (unbound > 0) total += fmt::format(" ({} without a node)", unbound);
  return total;
}

}  // namespace berth::up
