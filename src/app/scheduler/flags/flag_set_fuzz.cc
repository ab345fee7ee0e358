// SPDX-License-Identifier: Apache-2.0
// Whatever stands on the command line, one argument per line: it is refused with a text, or every flag that was given
// shows a value, and lists that are shown read back as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/scheduler/flags/gates.h"
#include "app/scheduler/flags/go_values.h"
#include "app/scheduler/flags/scheduler_flags.h"
#include "base/assert.h"
#include "base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace berth;
  using namespace berth::scheduler_app;
  std::vector<std::string> arguments;
  for (const std::string_view line : Split({reinterpret_cast<const char*>(data), size}, '\n')) {
    arguments.emplace_back(line);
  }
  FlagValues values;
  FlagSet flags;
  DefineFlags(flags, values);
  const auto others = flags.Parse(arguments);
  if (!others) {
    BERTH_ASSERT(!others.error().message.empty());
    return 0;
  }
  for (const auto& [name, flag] : flags.ByName()) {
    if (!flag->changed) BERTH_ASSERT(flag->binding.text() == flag->default_text);
  }
  const std::vector<std::string>& names = values.options.metrics.disabled;
  const auto read = SplitCsv(JoinCsv(names));
  BERTH_ASSERT(names.size() < 2 || (read && *read == names));
  const auto version = ResolveVersions(values.emulated_versions, values.min_compatibility_versions);
  if (version) (void)ResolveGates(values.gates, *version);
  return 0;
}

extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {
    "--config=a.yaml\n--leader_elect=false\n-v=2\n--secure-port\n0x10\n--\nx",
    "--feature-gates=kube:GenericWorkload=true,AllBeta=false\n--emulated-version=kube=1.36\n--version=v1.37.1-x",
    "--disabled-metrics=a,\"b,c\"\n--disabled-metrics\nd\n--allow-metric-labels=m,l=v\n--tls-sni-cert-key=a,b:c,d",
    "--kube-api-qps=1e3\n--leader-elect-lease-duration=1.5h\n--bind-address=::1\n--vmodule=a=1,b=2\n-hv3",
    "--log-text-info-buffer-size=4Ki\n--tls-curve-preferences=29,4588\n--record=x\n--record-limit=1Gi",
    nullptr,
};
