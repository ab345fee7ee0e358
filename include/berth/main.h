// SPDX-License-Identifier: Apache-2.0
// The program berth with plugins of your own: `scheduler`, `up`, `simulate` and `replay` know them as they know the
// built-in ones.
//
//   int main(int argc, char** argv) {
//     berth::framework::Registry plugins = berth::plugins::BuiltIn();
//     if (!plugins.Add<MyPlugin>()) return 70;
//     return berth::Main(argc, argv, plugins);
//   }
//
// docs/plugin-guide.md shows how it is built.

#pragma once

#include "berth/plugin.h"
#include "plugins/registry.h"

namespace berth {

// Runs the program and returns its exit code. Call it once. REQUIRES: `plugins` outlives the call.
int Main(int argc, char** argv, const framework::Registry& plugins);

}  // namespace berth
