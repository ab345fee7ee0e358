// SPDX-License-Identifier: Apache-2.0
// The input log: everything that went into a core, in a file from which the same run can be made again.
//
// A log begins with the settings of the core. Then every step has two entries: its input, written before the step, and
// a digest of the effects that it had, written after it; so a log of a program that died ends with the input that
// killed it. A log that was finished ends by saying so. Every part has a checksum. What stands before damage or a cut
// can be read; docs/input-log.md gives the format byte by byte.
//
// Thread: any one.

#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "record/settings.h"
#include "scheduler/input.h"

namespace berth::record {

class Writer {
 public:
  // Writes the settings. `out` must be binary and outlive the writer.
  Writer(std::ostream& out, const Settings& settings);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void WriteInput(const scheduler::Input& input);
  void WriteDigest(uint64_t digest);  // Of the effects of the last input.
  void WriteEnd();                    // Nothing comes after it.

  // Bytes that were written.
  uint64_t size() const { return size_; }
  // False once something could not be written.
  bool ok() const { return out_.good(); }

 private:
  void WriteFrame(std::string_view payload);

  std::ostream& out_;
  uint64_t size_ = 0;
};

// Of the effects of one step. Effects that differ in anything that matters to the world have other digests.
uint64_t DigestOf(const std::vector<scheduler::IssuedEffect>& effects);

struct Digest {
  uint64_t value = 0;
};

struct LogEnd {};

struct Entry {
  uint64_t offset = 0;  // In the file.
  std::variant<scheduler::Input, Digest, LogEnd> what;
};

class Reader {
 public:
  // Reads the settings. `in` must be binary and outlive the reader; `registry` as for config::Load.
  static Result<Reader> Open(std::istream& in, const framework::Registry& registry = plugins::BuiltIn());

  const Settings& settings() const { return settings_; }

  // The next input or digest, or nothing at the end. Fails with `offset N: reason` where the log is damaged; nothing
  // can be read after that.
  Result<std::optional<Entry>> Next();

  // Why the log has no proper end, once Next has come to where the bytes end: it is being written, or its writer died.
  const std::optional<std::string>& unfinished() const { return unfinished_; }

  // Where the next entry begins.
  uint64_t offset() const { return offset_; }

 private:
  explicit Reader(std::istream& in) : in_(&in) {}
  Result<std::optional<std::string>> ReadFrame();

  std::istream* in_;
  std::shared_ptr<const framework::Registry> registry_;
  uint64_t offset_ = 0;
  Settings settings_;
  bool ended_ = false;
  std::optional<std::string> unfinished_;
};

}  // namespace berth::record
