// SPDX-License-Identifier: Apache-2.0
// price-scheduler CONFIGURATION CLUSTER: places the pending pods of a manifest with PreferCheapNodes at work.

#include <fstream>
#include <iostream>
#include <sstream>

#include "price_scheduler.h"

namespace {

std::string ReadFile(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

berth::Result<void> Run(const char* configuration, const char* manifest) {
  const auto scheduler = BERTH_TRY(example::MakePriceScheduler(ReadFile(configuration)));
  BERTH_CHECK_OK(example::PutObjects(*scheduler, ReadFile(manifest)));
  for (const std::string& line : example::ScheduleAll(*scheduler)) std::cout << line << "\n";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: price-scheduler CONFIGURATION CLUSTER\n";
    return 2;
  }
  const berth::Result<void> done = Run(argv[1], argv[2]);
  if (!done) std::cerr << "price-scheduler: " << done.error().message << "\n";
  return done ? 0 : 1;
}
