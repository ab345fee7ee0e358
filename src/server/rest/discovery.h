// SPDX-License-Identifier: Apache-2.0
// Discovery: tells clients which groups, versions and resources there are.
//
// There are two forms: the aggregated one, in which /api and /apis say everything at once, and the older one with a
// document for each group and version.
//
// Thread: that of the server. Cost: the documents are made anew when the catalog has changed.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/model/json.h"
#include "server/model/resource.h"
#include "server/rest/call.h"
#include "server/rest/document.h"

namespace berth::server {

class Discovery {
 public:
  // REQUIRES: `catalog` outlives this.
  explicit Discovery(const Catalog& catalog);

  // Answers /api, /apis and what is below them down to the version. False: the path is none of these, or the group is
  // unknown, and nothing was sent.
  bool Answer(Call& call);

  bool HasVersion(std::string_view group, std::string_view version);

 private:
  struct Version {
    std::string_view version;
    Json resources;  // An APIResourceList.
  };
  struct Group {
    std::string_view name;
    Json document;  // An APIGroup, without kind and version.
    std::vector<Version> versions;
  };

  // Makes the documents anew if the catalog has changed.
  void Refresh();
  const Group* Find(std::string_view group) const;
  static const Version* Find(const Group& group, std::string_view version);
  void AnswerRoot(Call& call, bool is_core) const;
  Json Groups() const;

  const Catalog& catalog_;
  uint64_t generation_ = 0;    // Of the catalog, for which the documents are.
  std::vector<Group> groups_;  // The core is the first.
  Document core_document_;     // Aggregated.
  Document groups_document_;
};

}  // namespace berth::server
