// SPDX-License-Identifier: Apache-2.0
#include "server/rest/document.h"

#include <memory>

#include "server/rest/answer.h"
#include "server/rest/digest.h"

namespace berth::server {

Document::Document(std::string content)
    : text(std::make_shared<const std::string>(std::move(content))), digest(HexDigest(*text)) {}

void SendDocument(Call& call, const Document& document, const DocumentHeaders& headers) {
  const std::string etag = '"' + document.digest + '"';
  std::vector<net::Header> all{{"Cache-Control", std::string(headers.cache_control)}, {"Etag", etag}};
  if (headers.varies_by_accept) all.push_back({"Vary", "Accept"});
  if (call.request.Find("If-None-Match").find(etag) != std::string_view::npos) {
    return call.exchange->Send(304, std::move(all), std::make_shared<const std::string>());
  }
  all.push_back({"Content-Type", std::string(headers.content_type)});
  const bool is_pretty = call.media.is_pretty && headers.content_type.starts_with("application/json");
  call.exchange->Send(200, std::move(all),
                      is_pretty ? std::make_shared<const std::string>(Indent(*document.text)) : document.text);
}

}  // namespace berth::server
