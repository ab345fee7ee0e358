// SPDX-License-Identifier: Apache-2.0
#include "client/access/exec_credentials.h"

#include <fmt/format.h>

#include <optional>

#include "api/document/json_writer.h"
#include "api/document/value.h"
#include "telemetry/log.h"

namespace berth::client {

namespace {

struct PluginAnswer {
  std::string token;
  ClientIdentity identity;
  std::optional<Time> expires_at;
};

// Errors never quote the output, which holds secrets.
Result<PluginAnswer> ReadAnswer(std::string_view text, std::string_view api_version) {
  Result<std::vector<api::Document>> documents = api::ParseJsonOrYaml(text);
  if (!documents || documents->size() != 1) return Invalid("decoding stdout: it is neither JSON nor YAML");
  api::Value root = documents->front().root();
  if (root["kind"].text() != "ExecCredential") return Invalid("decoding stdout: the object is not an ExecCredential");
  if (root["apiVersion"].text() != api_version) {
    return Invalid(fmt::format("exec plugin is configured to use API version {}, plugin returned version {}",
                               api_version, root["apiVersion"].text()));
  }
  api::Value status = root["status"];
  if (!status.is_map()) return Invalid("exec plugin didn't return a status field");

  PluginAnswer answer;
  answer.token = status["token"].text();
  answer.identity.certificate_pem = status["clientCertificateData"].text();
  answer.identity.key_pem = status["clientKeyData"].text();
  bool has_certificate = !answer.identity.certificate_pem.empty();
  bool has_key = !answer.identity.key_pem.empty();
  if (answer.token.empty() && !has_certificate && !has_key) {
    return Invalid("exec plugin didn't return a token or cert/key pair");
  }
  if (has_certificate != has_key) return Invalid("exec plugin returned only certificate or key, not both");
  if (!status["expirationTimestamp"].is_null()) {
    Result<Time> time = ParseTime(status["expirationTimestamp"].text());
    if (!time) return Invalid("decoding stdout: the expirationTimestamp is not a time");
    answer.expires_at = *time;
  }
  return answer;
}

class Plugin final : public Credentials {
 public:
  Plugin(runtime::Timers& timers, CommandRunner& runner, ExecConfig config, OnIdentity on_identity)
      : timers_(timers), runner_(runner), config_(std::move(config)), on_identity_(std::move(on_identity)) {
    config_.command.environment.emplace_back("KUBERNETES_EXEC_INFO", ExecInfo());
  }

  void Get(Ready ready) override {
    bool is_expired = current_ && current_->expires_at && timers_.WallNow() > *current_->expires_at;
    if (current_ && !is_expired && !is_running_) return ready(Headers());
    waiting_.push_back(std::move(ready));
    Refresh();
  }

  void OnUnauthorized(uint64_t version) override {
    if (version == version_) Refresh();
  }

 private:
  std::string ExecInfo() const {
    api::JsonWriter json;
    json.BeginObject().Key("kind").String("ExecCredential").Key("apiVersion").String(config_.api_version);
    json.Key("spec").BeginObject();
    if (!config_.cluster_json.empty()) json.Key("cluster").Raw(config_.cluster_json);
    json.Key("interactive").Bool(false).EndObject().EndObject();
    return json.Take();
  }

  void Refresh() {
    if (is_running_) return;
    if (config_.interactive_mode == "Always") {
      return OnAnswer(Invalid("exec plugin cannot support interactive mode: standard input is not a terminal"));
    }
    is_running_ = true;
    runner_.Run(config_.command, [this, self = std::weak_ptr(self_)](Result<CommandOutput> output) {
      if (self.expired()) return;
      is_running_ = false;
      OnAnswer(Read(std::move(output)));
    });
  }

  Result<PluginAnswer> Read(Result<CommandOutput> output) const {
    const std::string& program = config_.command.program;
    if (!output && output.error().code == Code::kNotFound) {
      std::string hint = config_.install_hint.empty() ? "" : "\n\n" + config_.install_hint;
      return Fail(Code::kNotFound, fmt::format("exec: executable {} not found{}", program, hint));
    }
    if (!output) return Fail(output.error().code, "exec: " + output.error().message);
    if (output->exit_code != 0) {
      return Invalid(fmt::format("exec: executable {} failed with exit code {}", program, output->exit_code));
    }
    return ReadAnswer(output->text, config_.api_version);
  }

  void OnAnswer(Result<PluginAnswer> answer) {
    std::vector<Ready> waiting = std::exchange(waiting_, {});
    if (!answer) {
      if (waiting.empty()) telemetry::LogError(answer.error(), "refreshing credentials");
      for (Ready& ready : waiting) ready(std::unexpected(answer.error()));
      return;
    }
    bool is_new_identity = answer->identity != (current_ ? current_->identity : ClientIdentity());
    current_ = *std::move(answer);
    ++version_;
    if (is_new_identity) on_identity_(current_->identity);
    // A copy, since what waits may destroy this.
    Authorization headers = Headers();
    for (Ready& ready : waiting) ready(headers);
  }

  Authorization Headers() const {
    Authorization authorization;
    authorization.version = version_;
    if (!current_->token.empty()) authorization.headers.push_back({"Authorization", "Bearer " + current_->token});
    return authorization;
  }

  runtime::Timers& timers_;
  CommandRunner& runner_;
  ExecConfig config_;
  OnIdentity on_identity_;
  std::optional<PluginAnswer> current_;
  uint64_t version_ = 0;
  bool is_running_ = false;
  std::vector<Ready> waiting_;
  std::shared_ptr<bool> self_ = std::make_shared<bool>(true);  // Gone when this is.
};

}  // namespace

std::unique_ptr<Credentials> ExecCredentials(runtime::Timers& timers, CommandRunner& runner, ExecConfig config,
                                             OnIdentity on_identity) {
  return std::make_unique<Plugin>(timers, runner, std::move(config), std::move(on_identity));
}

}  // namespace berth::client
