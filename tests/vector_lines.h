// SPDX-License-Identifier: Apache-2.0
// Vector files: JSON lines, plain or gzipped.

#pragma once

#include <cstddef>
#include <sstream>
#include <string>

#include <zlib.h>

// The whole file, unpacked if it is compressed. False if it cannot be read.
inline bool ReadVectors(const char* path, std::string& text) {
  gzFile file = gzopen(path, "rb");
  if (file == nullptr) return false;
  char buffer[1 << 16];
  int count = 0;
  while ((count = gzread(file, buffer, sizeof(buffer))) > 0) text.append(buffer, static_cast<size_t>(count));
  gzclose(file);
  return count == 0;
}

// Calls `visit(line, number)` for each line, numbered from 1. False if the file cannot be read.
template <class Visit>
bool ForEachVector(const char* path, Visit visit) {
  std::string text;
  if (!ReadVectors(path, text)) return false;
  std::istringstream lines(text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) visit(line, ++number);
  return true;
}
