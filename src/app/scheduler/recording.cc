// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/recording.h"

#include <fmt/format.h>

#include "telemetry/log.h"

namespace berth::scheduler_app {

Result<std::unique_ptr<Recording>> Recording::Create(const std::string& path, int64_t limit_bytes,
                                                     const record::Settings& settings) {
  std::unique_ptr<Recording> recording(new Recording(path, limit_bytes));
  recording->file_.open(path, std::ios::binary | std::ios::trunc);
  if (!recording->file_) return Invalid(fmt::format("cannot write the recording {}", path));
  recording->writer_ = std::make_unique<record::Writer>(recording->file_, settings);
  return recording;
}

void Recording::BeforeStep(const scheduler::Input& input) {
  if (writer_) writer_->WriteInput(input);
}

void Recording::AfterStep(const std::vector<scheduler::IssuedEffect>& effects) {
  if (!writer_) return;
  writer_->WriteDigest(record::DigestOf(effects));
  if (!writer_->ok()) return End("it cannot be written");
  if (limit_bytes_ > 0 && file_.tellp() >= limit_bytes_) End("it has reached its limit");
}

void Recording::End(std::string_view reason) {
  writer_.reset();
  file_.close();
  telemetry::LogInfo("The recording ends, the scheduler goes on", "file", path_, "reason", reason);
}

}  // namespace berth::scheduler_app
