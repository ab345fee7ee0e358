// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: mutates its seed inputs for a number of runs, or until its time is over.
//
//   TARGET [RUNS [SECONDS]]
//
// The sequence is always the same, so a failure is found again by running the same command. A target may define
// `kFuzzSeeds` (null-terminated) to start from inputs that reach deep.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern const char* const kFuzzSeeds[];

namespace {

uint64_t Next(uint64_t& state) {
  state += 0x9E3779B97F4A7C15ULL;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

void Mutate(std::string& text, const std::vector<std::string>& seeds, uint64_t& state) {
  const size_t at = text.empty() ? 0 : Next(state) % text.size();
  switch (Next(state) % 6) {
    case 0:
      if (!text.empty()) text[at] = static_cast<char>(Next(state));
      break;
    case 1: text.insert(at, 1, "{}[]:,\"'\\-+.0eE#&*!|>\n\t "[Next(state) % 25]); break;
    case 2:
      if (!text.empty()) text.erase(at, 1 + Next(state) % 8);
      break;
    case 3: text.insert(at, text.substr(at, 1 + Next(state) % 32)); break;
    case 4:
      if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << (Next(state) % 8)));
      break;
    default: {
      const std::string& other = seeds[Next(state) % seeds.size()];
      if (!other.empty()) text.insert(at, other.substr(Next(state) % other.size(), 1 + Next(state) % 64));
    }
  }
}

void Run(const std::string& text) {
  // A heap block of the exact size, so that the address sanitizer sees an over-read of one byte.
  std::vector<uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const long runs = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 10000;
  const auto end =
      argc > 2 ? Clock::now() + std::chrono::seconds(std::strtol(argv[2], nullptr, 10)) : Clock::time_point::max();
  std::vector<std::string> seeds;
  for (const char* const* seed = kFuzzSeeds; *seed != nullptr; ++seed) seeds.emplace_back(*seed);
  if (seeds.empty()) seeds.emplace_back("");
  for (const std::string& seed : seeds) Run(seed);
  uint64_t state = 1;
  long done = 0;
  for (; done < runs && Clock::now() < end; ++done) {
    std::string text = seeds[Next(state) % seeds.size()];
    for (uint64_t n = 1 + Next(state) % 8; n > 0; --n) Mutate(text, seeds, state);
    if (text.size() > 65536) text.resize(65536);
    Run(text);
  }
  std::printf("%ld runs\n", done);
  return 0;
}
