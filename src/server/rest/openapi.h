// SPDX-License-Identifier: Apache-2.0
// OpenApi: the documents that describe all resources and their schemas, by which kubectl explains and validates.
//
// In v3 there is an index and a document for each version. The addresses in the index have the digest of the document,
// so clients keep a document for as long as it is the same. In v2 there is one document of everything, in JSON and in
// protobuf.
//
// Thread: that of the server. Cost: the documents are made at the first request after the catalog has changed.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/model/resource.h"
#include "server/rest/call.h"
#include "server/rest/document.h"

namespace berth::server {

class OpenApi {
 public:
  // REQUIRES: `catalog` outlives this.
  explicit OpenApi(const Catalog& catalog) : catalog_(catalog) {}

  // Answers /openapi/v2 and what is below /openapi/v3. False: the path is another, and nothing was sent.
  bool Answer(Call& call);

 private:
  // Forgets documents of a catalog that has changed.
  void Refresh();
  void MakeDocuments();
  std::string Index() const;
  void AnswerDocument(Call& call, const Document& document) const;
  void AnswerV2(Call& call);

  const Catalog& catalog_;
  uint64_t generation_ = 0;                                 // Of the catalog, for which the documents are.
  std::map<std::string, Document, std::less<>> documents_;  // By path behind /openapi/v3/.
  std::string index_;
  std::optional<Document> json_v2_;
  std::optional<Document> protobuf_v2_;
};

}  // namespace berth::server
