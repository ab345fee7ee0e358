// SPDX-License-Identifier: Apache-2.0
// Config maps, secrets and service accounts.
#include <array>

#include "base/base64.h"
#include "server/kinds/kinds.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kBytesMax = size_t{1} << 20;
constexpr std::string_view kSealed = "field is immutable when `immutable` is set";
constexpr FieldPath kData("data");

// Of what a base64 text stands for.
size_t DecodedSize(std::string_view text) {
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return text.size() / 4 * 3 - padding;
}

void ValidateSealed(const Json& object, const Json& old, std::initializer_list<std::string_view> members,
                    FieldErrors& errors) {
  if (!old["immutable"].AsBool()) return;
  if (!object["immutable"].AsBool()) errors.Forbidden("immutable", kSealed);
  for (const std::string_view name : members) {
    if (object[name] != old[name]) errors.Forbidden(std::string(name), kSealed);
  }
}

class ConfigMapStrategy final : public Strategy {
 public:
  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& binary = object["binaryData"];
    size_t bytes = 0;
    for (const auto& [key, value] : object["data"].members()) {
      const FieldPath path = kData.Key(key);
      Report(errors, path, key, CheckConfigKey(key));
      if (binary.Has(key)) errors.Invalid(path, key, "duplicate of key present in binaryData");
      bytes += value.text().size();
    }
    static constexpr FieldPath kBinaryData("binaryData");
    for (const auto& [key, value] : binary.members()) {
      Report(errors, kBinaryData.Key(key), key, CheckConfigKey(key));
      bytes += DecodedSize(value.text());
    }
    if (bytes > kBytesMax) errors.TooLong("", kBytesMax);
  }

  void ValidateUpdate(const Json& object, const Json& old, FieldErrors& errors) const override {
    ValidateSealed(object, old, {"data", "binaryData"}, errors);
  }
};

class SecretStrategy final : public Strategy {
 public:
  void Default(Json& secret, bool /*is_create*/) const override {
    if (const Json* texts = secret.Find("stringData")) {
      const Json copy = *texts;
      Json& data = secret.Make("data");
      for (const auto& [key, value] : copy.members()) data.Set(key, EncodeBase64(value.text()));
      secret.Erase("stringData");
    }
    if (secret["type"].text().empty()) secret.Set("type", "Opaque");
  }

  void Validate(const Json& secret, FieldErrors& errors) const override {
    size_t bytes = 0;
    for (const auto& [key, value] : secret["data"].members()) {
      Report(errors, kData.Key(key), key, CheckConfigKey(key));
      bytes += DecodedSize(value.text());
    }
    if (bytes > kBytesMax) errors.TooLong(kData, kBytesMax);
    ValidateType(secret, errors);
  }

  void ValidateUpdate(const Json& secret, const Json& old, FieldErrors& errors) const override {
    ValidateSealed(secret, old, {"data"}, errors);
    CheckImmutable(errors, FieldPath("type"), secret["type"], old["type"]);
  }

  std::span<const std::string_view> selectable_fields() const override {
    static constexpr std::string_view kFields[] = {"type"};
    return kFields;
  }

 private:
  static void RequireKeys(const Json& secret, std::initializer_list<std::string_view> keys, FieldErrors& errors) {
    for (const std::string_view key : keys) {
      if (!secret["data"].Has(key)) errors.Required(kData.Key(key));
    }
  }

  // Secrets of known types have known keys.
  static void ValidateType(const Json& secret, FieldErrors& errors) {
    const std::string& type = secret["type"].text();
    const Json& data = secret["data"];
    if (type == "kubernetes.io/service-account-token") {
      static constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
      static constexpr FieldPath kAnnotations("metadata.annotations");
      if (secret["metadata"]["annotations"][kAccount].text().empty()) errors.Required(kAnnotations.Key(kAccount));
    } else if (type == "kubernetes.io/dockercfg") {
      ValidateJson(secret, ".dockercfg", errors);
    } else if (type == "kubernetes.io/dockerconfigjson") {
      ValidateJson(secret, ".dockerconfigjson", errors);
    } else if (type == "kubernetes.io/basic-auth") {
      if (!data.Has("username") && !data.Has("password")) RequireKeys(secret, {"username", "password"}, errors);
    } else if (type == "kubernetes.io/ssh-auth") {
      if (data["ssh-privatekey"].text().empty()) errors.Required(kData.Key("ssh-privatekey"));
    } else if (type == "kubernetes.io/tls") {
      RequireKeys(secret, {"tls.crt", "tls.key"}, errors);
    }
  }

  static void ValidateJson(const Json& secret, std::string_view key, FieldErrors& errors) {
    const Json* text = secret["data"].Find(key);
    if (text == nullptr) return errors.Required(kData.Key(key));
    const auto decoded = DecodeBase64(text->text());
    const Result<Json> tree = ParseTree(decoded ? *decoded : std::string());
    if (tree && (tree->is_map() || tree->is_null())) return;
    errors.Invalid(kData.Key(key), "<secret contents redacted>", tree ? "must be a JSON object" : tree.error().message);
  }
};

class ServiceAccountStrategy final : public Strategy {
 public:
  void PrepareCreate(Json& account) const override { TrimSecrets(account); }
  void PrepareUpdate(Json& account, const Json& /*old*/) const override { TrimSecrets(account); }

 private:
  // Of references to secrets only the name counts.
  static void TrimSecrets(Json& account) {
    Json* secrets = account.Find("secrets");
    if (secrets == nullptr || !secrets->is_list()) return;
    for (Json& secret : secrets->mutable_items()) {
      Json trimmed = Json::MakeMap();
      if (const Json* name = secret.Find("name")) trimmed.Set("name", *name);
      secret = std::move(trimmed);
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeConfigMapStrategy() { return std::make_unique<ConfigMapStrategy>(); }
std::unique_ptr<Strategy> MakeSecretStrategy() { return std::make_unique<SecretStrategy>(); }
std::unique_ptr<Strategy> MakeServiceAccountStrategy() { return std::make_unique<ServiceAccountStrategy>(); }

}  // namespace berth::server
