// SPDX-License-Identifier: Apache-2.0
#include "prefer_cheap_nodes.h"

#include <algorithm>

namespace example {

using berth::Result;
using berth::api::Quantity;
using berth::cluster::NodeSlot;
using berth::framework::Cycle;
using berth::framework::Scores;
using berth::framework::Status;

void PreferCheapNodes::Args::Validate(const berth::framework::ArgsCheck& check) const {
  check.errors.CheckLabelName(check.At("priceLabel"), price_label);
  if (max_price && max_price->Sign() < 0) {
    check.errors.Invalid(check.At("maxPrice"), max_price->String(), "must be zero or positive");
  }
}

std::optional<Quantity> PreferCheapNodes::PriceOf(const Cycle& cycle, NodeSlot node) const {
  const std::string* text = cycle.nodes().node[node.index]->meta.labels.Find(args_.price_label);
  if (text == nullptr) return std::nullopt;
  Result<Quantity> price = Quantity::Parse(*text);
  return price ? std::optional(*std::move(price)) : std::nullopt;
}

Status PreferCheapNodes::FilterNode(Cycle& cycle, NodeSlot node) const {
  if (!args_.max_price) return Status::Success();
  const std::optional<Quantity> price = PriceOf(cycle, node);
  // No eviction makes a node cheaper, hence "unresolvable": preemption need not try these nodes.
  if (!price) return Status::Unresolvable("node(s) had no price");
  if (price->Cmp(*args_.max_price) > 0) return Status::Unresolvable("node(s) were too expensive");
  return Status::Success();
}

Status PreferCheapNodes::ScoreNode(Cycle& cycle, NodeSlot node, int64_t& score) const {
  const std::optional<Quantity> price = PriceOf(cycle, node);
  score = price ? std::max<int64_t>(price->MilliValue(), 0) : 0;
  return Status::Success();
}

// The dearest node gets 0, and one that costs nothing 100.
Status PreferCheapNodes::Normalize(Cycle&, std::span<const NodeSlot>, Scores& scores) const {
  berth::framework::NormalizeToMax(scores, /*reverse=*/true);
  return Status::Success();
}

}  // namespace example
