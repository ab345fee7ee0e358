// SPDX-License-Identifier: Apache-2.0
// price-scheduler: berth with one plugin more.

#include <berth/main.h>

#include "prefer_cheap_nodes.h"

int main(int argc, char** argv) {
  berth::framework::Registry plugins = berth::plugins::BuiltIn();
  if (!plugins.Add<example::PreferCheapNodes>()) return 70;  // Another one has its name.
  return berth::Main(argc, argv, plugins);
}
