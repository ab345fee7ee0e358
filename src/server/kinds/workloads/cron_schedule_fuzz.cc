// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/kinds/pods/container_image.h"
#include "server/kinds/workloads/cron_schedule.h"
#include "server/model/value_rules.h"

extern const char* const kFuzzSeeds[] = {"*/5 0-23/2 1,15 jan-mar mon",
                                         "@every 5m",
                                         "TZ=UTC * * * * *",
                                         "gcr.io/a-b/c__d.e:v1",
                                         "a@sha256:00",
                                         "::ffff:1.2.3.4",
                                         nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(berth::server::CheckCronSchedule(text));
  static_cast<void>(berth::server::DefaultPullPolicy(text));
  static_cast<void>(berth::server::CheckIp(text));
  static_cast<void>(berth::server::CheckDnsLabel(text));
  return 0;
}
