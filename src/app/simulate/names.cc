// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/names.h"

#include <fmt/format.h>

namespace berth::simulate {

std::string ShortHash(std::string_view text) {
  // Kubernetes leaves out vowels and look-alikes in generated names.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a.
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string name;
  for (int i = 0; i < 5; ++i, hash /= kAlphabet.size()) name += kAlphabet[hash % kAlphabet.size()];
  return name;
}

std::string NameGenerator::Uid() { return fmt::format("00000000-0000-4000-8000-{:012x}", ++uids_); }

void NameGenerator::Take(std::string_view ns, std::string_view name) { taken_[fmt::format("{}/{}", ns, name)] = true; }

std::string NameGenerator::Next(std::string_view ns, std::string_view prefix) {
  uint64_t& last = last_[fmt::format("{}/{}", ns, prefix)];
  while (true) {
    std::string name = fmt::format("{}-{}", prefix, ++last);
    if (taken_.emplace(fmt::format("{}/{}", ns, name), true).second) return name;
  }
}

}  // namespace berth::simulate
