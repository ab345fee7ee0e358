// SPDX-License-Identifier: Apache-2.0
// PreferCheapNodes: an example of a plugin from outside the repository. It puts pods on the cheapest node that fits.
//
// A node's price stands in a label, such as `example.com/hourly-price: "0.12"`. Arguments, all optional:
//
//   priceLabel: example.com/hourly-price   # The label to read.
//   maxPrice: "0.50"                       # Nodes that cost more, or whose price is not known, are turned down.
//
// Without maxPrice a node whose price is not known counts as free.

#pragma once

#include <berth/plugin.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace example {

class PreferCheapNodes final : public berth::framework::Plugin,
                               public berth::framework::FilterPlugin,
                               public berth::framework::ScorePlugin {
 public:
  static constexpr std::string_view kName = "PreferCheapNodes";

  struct Args {
    std::string price_label = "example.com/hourly-price";
    std::optional<berth::api::Quantity> max_price;

    static constexpr auto Fields() {
      return std::array{berth::framework::Member<&Args::price_label>("priceLabel"),
                        berth::framework::Member<&Args::max_price>("maxPrice")};
    }
    void Validate(const berth::framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  explicit PreferCheapNodes(Args args) : args_(std::move(args)) {}

  std::string_view name() const override { return kName; }
  berth::framework::Status FilterNode(berth::framework::Cycle& cycle, berth::cluster::NodeSlot node) const override;
  berth::framework::Status ScoreNode(berth::framework::Cycle& cycle, berth::cluster::NodeSlot node,
                                     int64_t& score) const override;
  bool parallel() const override { return true; }
  berth::framework::Status Normalize(berth::framework::Cycle& cycle, std::span<const berth::cluster::NodeSlot> nodes,
                                     berth::framework::Scores& scores) const override;

 private:
  // What a node costs, or nothing if it does not say so in a way that can be read.
  std::optional<berth::api::Quantity> PriceOf(const berth::framework::Cycle& cycle,
                                              berth::cluster::NodeSlot node) const;

  Args args_;
};

}  // namespace example
