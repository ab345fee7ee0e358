// SPDX-License-Identifier: Apache-2.0
// Recorder: a core whose steps are written to an input log.
//
//   std::ofstream file(path, std::ios::binary);
//   record::Writer writer(file, settings);
//   record::Recorder recorder(BERTH_TRY(record::MakeCore(settings, plugins::BuiltIn())), writer);
//   effects = recorder.Step(input);
//
// Thread: core.

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "record/input_log.h"
#include "scheduler/core.h"

namespace berth::record {

class Recorder {
 public:
  // `core` is new and made from the settings that `writer` was given. The writer must outlive the recorder.
  Recorder(std::unique_ptr<scheduler::Core> core, Writer& writer) : core_(std::move(core)), writer_(writer) {}

  // REQUIRES: as Core::Step; every step goes through here.
  std::vector<scheduler::IssuedEffect> Step(scheduler::Input input) {
    writer_.WriteInput(input);
    std::vector<scheduler::IssuedEffect> effects = core_->Step(std::move(input));
    writer_.WriteDigest(DigestOf(effects));
    return effects;
  }

  const scheduler::Core& core() const { return *core_; }

 private:
  std::unique_ptr<scheduler::Core> core_;
  Writer& writer_;
};

}  // namespace berth::record
