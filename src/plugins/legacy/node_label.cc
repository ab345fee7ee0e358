// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/node_label.h"

#include <algorithm>

#include "api/document/field_error.h"
#include "plugins/helpers/node_memo.h"
#include "plugins/legacy/args.h"

namespace berth::plugins::legacy {
namespace {

using Keys = std::vector<std::string>;

void CheckNoConflict(const Keys& present, const Keys& absent, const std::string& suffix,
                     framework::FieldErrors& errors) {
  for (size_t i = 0; i < absent.size(); ++i) {
    const auto last = std::find(present.rbegin(), present.rend(), absent[i]);
    if (last == present.rend()) continue;
    const auto index = static_cast<size_t>(present.rend() - last - 1);
    errors.Invalid(framework::Index("presentLabels" + suffix, index), api::GoQuote(absent[i]),
                   "conflict with " + framework::Index("absentLabels" + suffix, i));
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

void NodeLabel::Args::Validate(const framework::ArgsCheck& check) const {
  CheckNoConflict(present_labels, absent_labels, "", check.errors);
  CheckNoConflict(present_labels_preference, absent_labels_preference, "Preference", check.errors);
}

Result<std::unique_ptr<framework::Plugin>> NodeLabel::Create(const framework::PluginContext& context, Release release) {
  return std::make_unique<NodeLabel>(BERTH_TRY(ArgsAs<Args>(context, "NodeLabelArgs", release)));
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
