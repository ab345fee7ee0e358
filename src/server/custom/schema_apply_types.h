// SPDX-License-Identifier: Apache-2.0
// SchemaApplyTypes: the types by which server-side apply owns the fields of a custom resource, made from its schema.

#pragma once

#include <deque>

#include "server/custom/schema.h"
#include "server/patch/apply_schema.h"

namespace berth::server {

class SchemaApplyTypes {
 public:
  // REQUIRES: `schema` outlives this.
  explicit SchemaApplyTypes(const Schema& schema);
  SchemaApplyTypes(const SchemaApplyTypes&) = delete;
  SchemaApplyTypes& operator=(const SchemaApplyTypes&) = delete;

  const ApplyType& root() const { return *root_; }

 private:
  const ApplyType* TypeOf(const Schema& schema, bool is_resource);
  const ApplyType* ObjectType(const Schema& schema, bool is_resource);

  std::deque<ApplyType> types_;  // They stay in place.
  ApplyType text_, number_, bool_, scalar_, deduced_;
  const ApplyType* root_;
};

}  // namespace berth::server
