// SPDX-License-Identifier: Apache-2.0
// berth-conformance: runs recorded scenarios through the core and prints what it decides, for comparison with upstream.
//
// It drives the same code as the product, through its public interfaces; nothing here decides.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include <zlib.h>

#include "conformance/cache.h"
#include "conformance/config.h"
#include "conformance/decisions.h"
#include "conformance/hints.h"
#include "conformance/quantity.h"
#include "conformance/queue.h"

namespace {

using Run = void (*)(std::istream&, std::ostream&);

const std::map<std::string, Run> kKinds = {
    {"cache", berth::conformance::RunCache},
    {"config", berth::conformance::RunConfig},
    {"decisions", berth::conformance::RunDecisions},
    {"hints", berth::conformance::RunHints},
    {"quantity", berth::conformance::RunQuantity},
    {"queue", berth::conformance::RunQueue},
    {"registrations", berth::conformance::RunRegistrations},
};

// The whole file, unpacked if it is compressed.
bool ReadFile(const char* path, std::string& text) {
  gzFile file = gzopen(path, "rb");
  if (file == nullptr) return false;
  char buffer[1 << 16];
  int count = 0;
  while ((count = gzread(file, buffer, sizeof(buffer))) > 0) text.append(buffer, static_cast<size_t>(count));
  gzclose(file);
  return count == 0;
}

int Usage() {
  std::cerr << "usage: berth-conformance KIND FILE...\n  KIND is one of:";
  for (const auto& [name, run] : kKinds) std::cerr << " " << name;
  std::cerr << "\n  FILE holds JSON lines, plain or gzipped; one result line is printed for each\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return Usage();
  const auto kind = kKinds.find(argv[1]);
  if (kind == kKinds.end()) return Usage();
  std::ios::sync_with_stdio(false);
  for (int i = 2; i < argc; ++i) {
    std::string text;
    if (!ReadFile(argv[i], text)) {
      std::cerr << "berth-conformance: cannot read " << argv[i] << "\n";
      return 2;
    }
    std::istringstream in(std::move(text));
    kind->second(in, std::cout);
  }
  return 0;
}
