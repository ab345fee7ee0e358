// SPDX-License-Identifier: Apache-2.0
// berth: the program.

#include "berth/main.h"
#include "plugins/registry.h"

int main(int argc, char** argv) { return berth::Main(argc, argv, berth::plugins::BuiltIn()); }
