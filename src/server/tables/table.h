// SPDX-License-Identifier: Apache-2.0
// Tables: objects and lists in the forms that show only a part of them, as kubectl get asks for them.
//
// A Table has columns that depend on the kind and a row for every object; PartialObjectMetadata has the metadata alone.
// Objects are given in canonical form; those of a list need not say their kind.

#pragma once

#include <string_view>
#include <vector>

#include "base/time.h"
#include "server/model/json.h"
#include "server/model/resource.h"
#include "server/tables/printer.h"

namespace berth::server {

// What comes with the cells of a row.
enum class IncludeObject : uint8_t { kNone, kMetadata, kObject };

struct TableOptions {
  IncludeObject include = IncludeObject::kMetadata;
  bool has_columns = true;  // Only the first event of a watch has them.
  std::string_view api_version = "meta.k8s.io/v1";
  Time now;  // For ages.
};

const std::vector<Column>& Columns(const Resource& resource);
// A list with a cell per column.
Json Cells(const Resource& resource, const Json& object, Time now);

Json MakeTable(const Resource& resource, Json object, const TableOptions& options);
// `metadata` is that of the list.
Json MakeListTable(const Resource& resource, Json::List objects, Json metadata, const TableOptions& options);

Json MakePartial(const Json& object, std::string_view api_version = "meta.k8s.io/v1");
Json MakePartialList(const Json::List& objects, Json metadata, std::string_view api_version = "meta.k8s.io/v1");

}  // namespace berth::server
