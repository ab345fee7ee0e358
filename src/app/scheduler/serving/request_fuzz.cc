// SPDX-License-Identifier: Apache-2.0
// Whatever a client sends as its target and headers is read without harm.
#include "app/scheduler/serving/answer.h"
#include "base/assert.h"
#include "net/accept.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern const char* const kFuzzSeeds[];
const char* const kFuzzSeeds[] = {"application/json;v=v1alpha1;g=config.k8s.io;as=Flagz", "gzip;q=0.5, */*;q=0.1",
                                  "/readyz?exclude=a%20b&verbose&exclude=%zz", nullptr};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const berth::net::AcceptClause& clause : berth::net::ParseAccept(text)) {
    BERTH_ASSERT(!clause.type.empty());
  }
  BERTH_ASSERT(berth::scheduler_app::ParseTarget(text).path.size() <= size);
  return 0;
}
