// SPDX-License-Identifier: Apache-2.0
// CustomKind: one version of a custom resource: its schema with all that follows from it, and its rules.
//
// Thread: that of the server; constant.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/custom/custom_printer.h"
#include "server/custom/rules.h"
#include "server/custom/schema.h"
#include "server/custom/schema_apply_types.h"
#include "server/model/object_schema.h"
#include "server/model/strategy.h"

namespace berth::server {

class CustomKind final : public CustomSchema, public Strategy {
 public:
  // `version` is one of the definition's.
  CustomKind(const Json& definition, const Json& version);

  // As a CustomSchema.
  Result<void> Canonicalize(Json& object, std::vector<std::string>* unknown) const override;
  const ApplyType& apply_type() const override { return apply_types_.root(); }
  const Printer& printer() const override { return printer_.printer(); }
  bool HasVersion(std::string_view api_version) const override;
  const ScalePaths* scale() const override { return scale_ ? &*scale_ : nullptr; }
  std::string_view deprecation() const override { return deprecation_; }
  bool is_ending() const override { return is_ending_; }
  void WriteOpenApi(api::JsonWriter& out, bool is_v2) const override;

  // As a Strategy.
  void Default(Json& object, bool is_create) const override;
  void PrepareCreate(Json& object) const override;
  void PrepareUpdate(Json& object, const Json& old) const override;
  void PrepareStatusUpdate(Json& object, const Json& old) const override;
  void Validate(const Json& object, FieldErrors& errors) const override;
  void ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const override;
  void ValidateStatusUpdate(const Json& object, const Json& old, FieldErrors& errors) const override;
  bool allows_unconditional_update() const override { return false; }
  bool has_status() const override { return has_status_; }
  std::span<const std::string_view> selectable_fields() const override { return selectable_; }
  std::string SelectableField(const Json& object, std::string_view path) const override;

 private:
  void ValidateKind(const Json& object, FieldErrors& errors) const;
  void ValidateRules(const Json& object, const Json* old, FieldErrors& errors) const;
  void ValidateScale(const Json& object, bool with_spec, FieldErrors& errors) const;

  const std::string group_;
  const std::string version_;
  const std::string kind_;
  const std::string api_version_;
  std::vector<std::string> api_versions_;  // All in which the kind is there.
  const Json source_;                      // The schema as it is written.
  const Schema schema_;
  const std::unique_ptr<const Rules> rules_;  // Null: there are none.
  const SchemaApplyTypes apply_types_;
  const CustomPrinter printer_;
  const bool has_status_;
  std::optional<ScalePaths> scale_;
  std::string deprecation_;
  const bool is_ending_;
  std::vector<std::string> selectable_paths_;
  std::vector<std::string_view> selectable_;
};

// The value at a path of names such as .spec.replicas; null if there is none.
const Json& ValueAt(const Json& object, std::string_view path);
// Sets it; what is no map on the way becomes one.
void SetValueAt(Json& object, std::string_view path, Json value);

}  // namespace berth::server
