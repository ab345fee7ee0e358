// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/policy_config_map.h"

#include <fmt/format.h>

#include <utility>

#include "api/document/field_error.h"
#include "api/document/value.h"
#include "client/watch/list_options.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

constexpr Duration kPolicyTimeout = Seconds(10);

Result<std::string> PolicyIn(const Result<client::RestAnswer>& answer, const config::PolicyConfigMap& where) {
  const auto fail = [&where](std::string_view why) {
    return Invalid(fmt::format("couldn't get policy config map {}/{}: {}", where.ns, where.name, why));
  };
  if (!answer) return fail(answer.error().message);
  if (!answer->ok()) return fail(client::ErrorOf(*answer).message);
  const Result<api::Document> map = api::ParseJson(answer->body);
  if (!map) return fail(map.error().message);
  const api::Value text = map->root()["data"][config::kPolicyKey];
  if (!text.is_string()) {
    return Invalid(fmt::format("missing policy config map value at key {}", api::GoQuote(config::kPolicyKey)));
  }
  return std::string(text.text());
}

}  // namespace

void ReadPolicyConfigMap(client::RestClient& client, const config::PolicyConfigMap& where,
                         std::move_only_function<void(Result<std::string>)> done) {
  telemetry::LogInfo("Reading the policy", "configMap", fmt::format("{}/{}", where.ns, where.name));
  client::RestRequest request;
  request.path = "/api/v1/namespaces/";
  client::AppendQueryEscaped(request.path, where.ns);
  request.path += "/configmaps/";
  client::AppendQueryEscaped(request.path, where.name);
  request.timeout = kPolicyTimeout;
  client.Send(std::move(request), [where, done = std::move(done)](Result<client::RestAnswer> answer) mutable {
    done(PolicyIn(answer, where));
  });
}

}  // namespace berth::scheduler_app
