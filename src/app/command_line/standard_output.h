// SPDX-License-Identifier: Apache-2.0
// Standard output of the program: what every command prints its results with.
//
// That it could not be written (a full disk, a reader that went away) is remembered and becomes the exit code of the
// program, so that no command has to look, and none can report success for an answer that nobody got.
//
// Thread: any.

#pragma once

#include <string_view>

namespace berth::app {

// What the program exits with when its output could not be written.
inline constexpr int kExitOutput = 74;

// Makes sure that the numbers 0 to 2 are taken, so that no file opened later is mistaken for standard output. Call it
// before anything is opened.
void ReserveStandardStreams();

// Appends to standard output. After a failure it does nothing.
void Print(std::string_view text);
// Hands over what was printed so far.
void FlushOutput();

// The exit code of a program that would exit with `exit_code` if its output was written. Otherwise says why not on
// standard error, except about a reader that went away, and returns kExitOutput.
int FinishOutput(int exit_code);

}  // namespace berth::app
