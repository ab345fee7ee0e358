// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/node_label.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/field_error.h"
#include "base/error_counts.h"
#include "plugins/helpers/node_memo.h"
#include "plugins/legacy/args.h"

namespace berth::plugins::legacy {
namespace {

using Keys = std::vector<std::string>;

void AppendConflicts(const Keys& present, const Keys& absent, std::string_view suffix,
                     std::vector<std::string>& errors) {
  for (size_t i = 0; i < absent.size(); ++i) {
    const auto last = std::find(present.rbegin(), present.rend(), absent[i]);
    if (last == present.rend()) continue;
    errors.push_back(api::InvalidField(fmt::format("presentLabels{}[{}]", suffix, present.rend() - last - 1), absent[i],
                                       fmt::format("conflict with absentLabels{}[{}]", suffix, i)));
  }
}

// Label sets leave the hostname out; a question about it has to look at every node.
bool AsksForHostname(const Keys& a, const Keys& b) {
  const auto has = [](const Keys& keys) { return std::ranges::find(keys, cluster::kHostnameLabel) != keys.end(); };
  return has(a) || has(b);
}

int64_t CountMet(const Keys& present, const Keys& absent, const api::Labels& labels) {
  const auto has = [&](const std::string& key) { return labels.Has(key); };
  return std::ranges::count_if(present, has) + std::ssize(absent) - std::ranges::count_if(absent, has);
}

}  // namespace

Result<std::unique_ptr<framework::Plugin>> NodeLabel::Create(const framework::PluginContext& context, Release release) {
  framework::NodeLabelArgs args = BERTH_TRY(ArgsAs<framework::NodeLabelArgs>(context.args, "NodeLabelArgs", release));
  std::vector<std::string> errors;
  AppendConflicts(args.present_labels, args.absent_labels, "", errors);
  AppendConflicts(args.present_labels_preference, args.absent_labels_preference, "Preference", errors);
  if (!errors.empty()) return Invalid(JoinErrors(errors));
  return std::make_unique<NodeLabel>(std::move(args));
}

void NodeLabel::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const int64_t wanted = std::ssize(args_.present_labels) + std::ssize(args_.absent_labels);
  if (wanted == 0) return;
  NodeMemo<bool> memo(cycle.nodes(), AsksForHostname(args_.present_labels, args_.absent_labels));
  candidates.RejectIf(framework::StatusCode::kUnschedulableAndUnresolvable, kReason, [&](cluster::NodeSlot slot) {
    return memo.Get(slot, [&](const api::Labels& labels, std::string_view) {
      return CountMet(args_.present_labels, args_.absent_labels, labels) != wanted;
    });
  });
}

framework::Status NodeLabel::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                                   framework::Scores& scores) const {
  const Keys& present = args_.present_labels_preference;
  const Keys& absent = args_.absent_labels_preference;
  const int64_t wanted = std::ssize(present) + std::ssize(absent);
  if (wanted == 0) {
    scores.SetUniform(nodes.size(), 0);
    return framework::Status::Success();
  }
  NodeMemo<int64_t> memo(cycle.nodes(), AsksForHostname(present, absent));
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    values[i] = memo.Get(nodes[i], [&](const api::Labels& labels, std::string_view) {
      return CountMet(present, absent, labels) * framework::kMaxNodeScore / wanted;
    });
  }
  return framework::Status::Success();
}

}  // namespace berth::plugins::legacy
