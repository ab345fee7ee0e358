// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks/conversion_review.h"

#include <fmt/format.h>

#include <expected>
#include <string_view>
#include <utility>

#include "api/document/field_error.h"
#include "server/model/field_path.h"
#include "server/model/joined_errors.h"
#include "server/model/metadata.h"

namespace berth::server {
namespace {

constexpr std::string_view kGroup = "apiextensions.k8s.io/";
constexpr std::string_view kKind = "ConversionReview";

using Problem = std::expected<void, std::string>;
using Converted = std::expected<Json, std::string>;

std::unexpected<std::string> Wrong(std::string why) { return std::unexpected(std::move(why)); }

std::string KindText(const Json& object) {
  const std::string& api_version = object["apiVersion"].text();
  return fmt::format("{}{}, Kind={}", api_version.contains('/') ? "" : "/", api_version, object["kind"].text());
}

// What Go calls the type of a value that is none of those that are right.
std::string_view GoType(const Json& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_bool()) return "bool";
  if (value.is_list()) return "[]interface {}";
  if (value.is_map()) return "map[string]interface {}";
  return value.is_string() ? "string" : value.AsInt() ? "int64" : "float64";
}

Problem CheckSame(const Json& original, const Json& converted) {
  const auto compare = [](std::string_view what, const Json& one, const Json& other) -> Problem {
    if (one.text() == other.text()) return {};
    return Wrong(fmt::format("must have the same {}: {} != {}", what, one.text(), other.text()));
  };
  const Json& was = original["metadata"];
  const Json& is = converted["metadata"];
  if (const Problem same = compare("name", was["name"], is["name"]); !same) return same;
  if (const Problem same = compare("namespace", was["namespace"], is["namespace"]); !same) return same;
  return compare("UID", was["uid"], is["uid"]);
}

Problem CheckTexts(std::string_view name, const Json& texts) {
  if (!texts.is_map()) {
    return Wrong(fmt::format("invalid metadata.{} of type {} in converted object", name, GoType(texts)));
  }
  for (const Json::Member& text : texts.members()) {
    if (text.value.is_string()) continue;
    return Wrong(fmt::format("metadata.{}[{}] must be a string, but is {} in converted object", name, text.name.text(),
                             GoType(text.value)));
  }
  FieldErrors errors;
  ValidateTemplateMetadata(Json{{name, texts}}, FieldPath("metadata"), errors);
  std::vector<std::string> found;
  for (const FieldError& error : errors.all()) found.push_back(fmt::format("{}: {}", error.field, error.message));
  if (found.empty()) return {};
  return Wrong(JoinErrors(found));
}

// The converted object with the metadata of the original one, but for labels and annotations.
Converted RestoreMetadata(const Json& original, Json converted) {
  const Json given = std::as_const(converted)["metadata"];
  if (!std::as_const(converted).Has("metadata")) return Wrong("missing metadata in converted object");
  if (!given.is_map()) return Wrong(fmt::format("invalid metadata of type {} in converted object", GoType(given)));
  Json metadata = original["metadata"];
  for (const std::string_view name : {"labels", "annotations"}) {
    const Json& texts = given[name];
    if (texts.is_null()) {
      metadata.Erase(name);
      continue;
    }
    if (texts == std::as_const(metadata)[name]) continue;
    if (Problem fits = CheckTexts(name, texts); !fits) return Wrong(std::move(fits.error()));
    metadata.Set(name, texts);
  }
  converted.Set("metadata", std::move(metadata));
  return converted;
}

// `place`: how errors call it.
Converted Accept(const Json& original, const Json& converted, const std::string& desired, bool is_one, size_t index) {
  const std::string in_list = fmt::format("converted object at index {}", index);
  const auto invalid = [&](std::string_view what, std::string_view why) {
    return Wrong(fmt::format("returned invalid {}: {}", what, why));
  };
  const std::string_view place = is_one ? std::string_view("object at index 0") : in_list;
  if (!converted.is_map()) return invalid(place, "Object 'Kind' is missing");
  if (const std::string& version = converted["apiVersion"].text(); version != desired) {
    return invalid(place, fmt::format("invalid groupVersion (expected {}, received {})", desired, version));
  }
  const std::string& kind = original["kind"].text();
  if (converted["kind"].text() != kind) {
    return invalid(place, fmt::format("invalid kind (expected {}, received {})", kind, converted["kind"].text()));
  }
  if (const Problem same = CheckSame(original, converted); !same) {
    return invalid(is_one ? std::string_view("object") : in_list, same.error());
  }
  Converted restored = RestoreMetadata(original, converted);
  if (restored) return restored;
  return invalid(is_one ? std::string("metadata") : fmt::format("metadata in object at index {}", index),
                 restored.error());
}

Converted ObjectsIn(const AskedReview& asked, const Json& review) {
  const Json& response = review["response"];
  // The older version checks less.
  if (asked.version == "v1") {
    if (review["apiVersion"].text() != fmt::format("{}v1", kGroup) || review["kind"].text() != kKind) {
      return Wrong(fmt::format("expected webhook response of {}v1, Kind={}, got {}", kGroup, kKind, KindText(review)));
    }
    if (!response.is_map()) return Wrong("no response provided");
    if (const std::string& uid = response["uid"].text(); uid != asked.uid) {
      return Wrong(fmt::format("expected response.uid={}, got {}", api::GoQuote(asked.uid), api::GoQuote(uid)));
    }
  }
  if (!response.is_map()) return Wrong("no response provided");
  const Json& result = response["result"];
  if (result["status"].text() == "Success") return response["convertedObjects"];
  if (!result["message"].text().empty()) return Wrong(result["message"].text());
  return Wrong(fmt::format("response.result.status was '{}', not 'Success'", result["status"].text()));
}

Converted AcceptAll(const AskedReview& asked, const Json& request, const Result<WebhookReply>& reply) {
  const Converted review = ReadReply(asked.url, reply);
  if (!review) return Wrong("failed: " + review.error());
  const Converted objects = ObjectsIn(asked, *review);
  if (!objects) return Wrong("failed: " + objects.error());
  const Json::List& originals = request["objects"].items();
  if (objects->items().size() != originals.size()) {
    return Wrong(fmt::format("returned {} objects, expected {}", objects->items().size(), originals.size()));
  }
  Json::List accepted;
  for (size_t i = 0; i < originals.size(); ++i) {
    Converted one =
        Accept(originals[i], objects->items()[i], request["desiredAPIVersion"].text(), originals.size() == 1, i);
    if (!one) return one;
    accepted.push_back(*std::move(one));
  }
  return Json::MakeList(std::move(accepted));
}

}  // namespace

std::string ConversionReviewVersion(const Json& versions) {
  for (const Json& version : versions.items()) {
    if (version.text() == "v1" || version.text() == "v1beta1") return version.text();
  }
  return {};
}

std::string ConversionReviewText(const AskedReview& asked, const Json& request) {
  Json full = request;
  full.Set("uid", asked.uid);
  return Json{{"kind", Json::String(kKind)},
              {"apiVersion", Json::String(fmt::format("{}{}", kGroup, asked.version))},
              {"request", std::move(full)}}
      .ToText();
}

WebhookAnswer ReadConversion(const AskedReview& asked, const Json& request, const Result<WebhookReply>& reply) {
  Converted converted = AcceptAll(asked, request, reply);
  if (converted) return {.converted = *std::move(converted)};
  return {.failure =
              fmt::format("conversion webhook for {} {}", KindText(request["objects"][size_t{0}]), converted.error())};
}

}  // namespace berth::server
