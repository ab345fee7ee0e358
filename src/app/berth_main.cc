// SPDX-License-Identifier: Apache-2.0
// berth: the program.

#include "app/built_in_plugins.h"
#include "berth/main.h"

int main(int argc, char** argv) { return berth::Main(argc, argv, berth::app::BuiltInPlugins()); }
