// SPDX-License-Identifier: Apache-2.0
#include "server/tables/table.h"

namespace berth::server {
namespace {

Json ColumnDefinitions(const Printer& printer) {
  Json::List columns;
  for (const Column& column : printer.columns) {
    columns.push_back(Json{{"name", Json::String(column.name)},
                           {"type", Json::String(column.type)},
                           {"format", Json::String(column.format)},
                           {"description", Json::String(column.description)},
                           {"priority", Json::Int(column.priority)}});
  }
  return Json::MakeList(std::move(columns));
}

Json Completed(const char* reason, const char* message) {
  Json condition{{"type", Json::String("Completed")},
                 {"status", Json::String("True")},
                 {"reason", Json::String(reason)},
                 {"message", Json::String(message)}};
  return Json::MakeList({std::move(condition)});
}

// Clients may hide pods that are done.
Json RowConditions(const Resource& resource, const Json& object) {
  if (resource.plural != "pods") return {};
  const std::string& phase = object["status"]["phase"].text();
  if (phase == "Succeeded") return Completed("Succeeded", "The pod has completed successfully.");
  if (phase == "Failed") return Completed("Failed", "The pod failed.");
  return {};
}

Json RowObject(const Resource& resource, Json object, const TableOptions& options) {
  switch (options.include) {
    case IncludeObject::kNone: return {};
    case IncludeObject::kMetadata: return MakePartial(object, options.api_version);
    case IncludeObject::kObject:
      object.Set("kind", resource.kind);
      object.Set("apiVersion", resource.api_version);
      return object;
  }
  return {};
}

Json MakeRow(const Resource& resource, Json object, Json::List cells, const TableOptions& options) {
  Json row{{"cells", Json::MakeList(std::move(cells))}};
  if (Json conditions = RowConditions(resource, object); !conditions.is_null()) {
    row.Set("conditions", std::move(conditions));
  }
  row.Set("object", RowObject(resource, std::move(object), options));
  return row;
}

Json Assemble(const Printer& printer, Json rows, Json metadata, const TableOptions& options) {
  return Json{{"kind", Json::String("Table")},
              {"apiVersion", Json::String(options.api_version)},
              {"metadata", std::move(metadata)},
              {"columnDefinitions", options.has_columns ? ColumnDefinitions(printer) : Json()},
              {"rows", std::move(rows)}};
}

// Objects of built-in kinds are printed in the form in which they are kept, as upstream does it.
const Printer& PrinterOf(const Resource& resource) {
  if (resource.custom != nullptr) return resource.custom->printer();
  return FindPrinter(resource.stored->group, resource.stored->plural);
}

Json::List CellsOf(const Resource& resource, const Json& object, Time now) {
  const Printer& printer = PrinterOf(resource);
  if (resource.custom != nullptr || !resource.to_stored) return printer.cells(object, now);
  return printer.cells(resource.to_stored(object), now);
}

bool IsDefaultClass(const Json& object) {
  const Json& annotations = object["metadata"]["annotations"];
  return annotations["storageclass.kubernetes.io/is-default-class"].text() == "true" ||
         annotations["storageclass.beta.kubernetes.io/is-default-class"].text() == "true";
}

// Of several default storage classes the newest counts, then the first by name; -1 if there is none.
ptrdiff_t DefaultClass(const Json::List& objects) {
  ptrdiff_t best = -1;
  const auto created = [&](ptrdiff_t i) -> const std::string& {
    return objects[static_cast<size_t>(i)]["metadata"]["creationTimestamp"].text();
  };
  for (ptrdiff_t i = 0; i < std::ssize(objects); ++i) {
    // Lists are sorted by name.
    if (IsDefaultClass(objects[static_cast<size_t>(i)]) && (best < 0 || created(i) > created(best))) best = i;
  }
  return best;
}

}  // namespace

const std::vector<Column>& Columns(const Resource& resource) { return PrinterOf(resource).columns; }

Json Cells(const Resource& resource, const Json& object, Time now) {
  return Json::MakeList(CellsOf(resource, object, now));
}

Json MakeTable(const Resource& resource, Json object, const TableOptions& options) {
  const Printer& printer = PrinterOf(resource);
  Json metadata = Json::MakeMap();
  if (const Json* version = object["metadata"].Find("resourceVersion")) metadata.Set("resourceVersion", *version);
  Json::List cells = CellsOf(resource, object, options.now);
  Json row = MakeRow(resource, std::move(object), std::move(cells), options);
  return Assemble(printer, Json::MakeList({std::move(row)}), std::move(metadata), options);
}

Json MakeListTable(const Resource& resource, Json::List objects, Json metadata, const TableOptions& options) {
  const Printer& printer = PrinterOf(resource);
  const ptrdiff_t default_class = resource.plural == "storageclasses" ? DefaultClass(objects) : -1;
  Json::List rows;
  rows.reserve(objects.size());
  for (Json& object : objects) {
    Json::List cells = CellsOf(resource, object, options.now);
    if (std::ssize(rows) == default_class) cells[0].mutable_text() += " (default)";
    rows.push_back(MakeRow(resource, std::move(object), std::move(cells), options));
  }
  // Upstream makes the rows of kinds without a printer one by one, so none of them is null.
  const bool is_null = rows.empty() && printer.plural.empty();
  return Assemble(printer, is_null ? Json() : Json::MakeList(std::move(rows)), std::move(metadata), options);
}

Json MakePartial(const Json& object, std::string_view api_version) {
  return Json{{"kind", Json::String("PartialObjectMetadata")},
              {"apiVersion", Json::String(api_version)},
              {"metadata", object["metadata"]}};
}

Json MakePartialList(const Json::List& objects, Json metadata, std::string_view api_version) {
  Json::List items;
  for (const Json& object : objects) items.push_back(MakePartial(object, api_version));
  return Json{{"kind", Json::String("PartialObjectMetadataList")},
              {"apiVersion", Json::String(api_version)},
              {"metadata", std::move(metadata)},
              {"items", items.empty() ? Json() : Json::MakeList(std::move(items))}};
}

}  // namespace berth::server
