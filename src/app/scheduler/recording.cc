// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/recording.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "runtime/private_file.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

namespace fs = std::filesystem;

std::string Numbered(const std::string& path, int number) {
  return number == 0 ? path : fmt::format("{}.{}", path, number);
}

// Moves the logs of earlier runs on by one; the oldest goes. What is no file, such as /dev/null, stays.
Result<void> MoveAside(const std::string& path) {
  if (!fs::is_regular_file(fs::symlink_status(path))) return {};
  for (int number = Recording::kKept - 1; number >= 0; --number) {
    if (!fs::exists(fs::symlink_status(Numbered(path, number)))) continue;
    std::error_code error;
    fs::rename(Numbered(path, number), Numbered(path, number + 1), error);
    if (error) return Invalid(fmt::format("cannot keep the recording {}: {}", path, error.message()));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Recording>> Recording::Create(const std::string& path, int64_t limit_bytes,
                                                     const record::Settings& settings) {
  BERTH_CHECK_OK(MoveAside(path));
  const bool is_new = !fs::exists(fs::symlink_status(path));
  if (is_new) BERTH_CHECK_OK(runtime::WritePrivateFile(path, ""));
  std::unique_ptr<Recording> recording(new Recording(path, limit_bytes));
  recording->file_.open(path, std::ios::binary | std::ios::app);
  if (!recording->file_) return Invalid(fmt::format("cannot write the recording {}", path));
  recording->writer_ = std::make_unique<record::Writer>(recording->file_, settings);
  if (!recording->file_.flush()) return Invalid(fmt::format("cannot write the recording {}", path));
  return recording;
}

Recording::~Recording() {
  if (writer_) writer_->WriteEnd();
}

void Recording::BeforeStep(const scheduler::Input& input) {
  if (!writer_) return;
  writer_->WriteInput(input);
  file_.flush();
}

void Recording::AfterStep(const std::vector<scheduler::IssuedEffect>& effects) {
  if (!writer_) return;
  writer_->WriteDigest(record::DigestOf(effects));
  if (!writer_->ok()) return End("it cannot be written");
  if (limit_bytes_ > 0 && writer_->size() >= static_cast<uint64_t>(limit_bytes_)) End("it has reached its limit");
}

void Recording::Rest() {
  if (writer_) file_.flush();
}

void Recording::End(std::string_view reason) {
  writer_->WriteEnd();
  writer_.reset();
  file_.close();
  telemetry::LogInfo("The recording ends, the scheduler goes on", "file", path_, "reason", reason);
}

}  // namespace berth::scheduler_app
