// SPDX-License-Identifier: Apache-2.0
// Strategy: what is special about the objects of a kind: their defaults, what may be written, what is valid.
//
// Objects come in the canonical form of typed.h. Metadata (names, labels, owner references) is validated for every kind
// elsewhere; a strategy validates the rest. The base class is right for kinds without rules of their own.
//
// Thread: any; strategies are constant once they belong to a catalog.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "framework/feature_gates.h"
#include "server/model/field_errors.h"
#include "server/model/json.h"
#include "server/model/value_rules.h"

namespace berth::server {

class Strategy {
 public:
  // How metadata.name is checked.
  enum class NameRule : uint8_t { kDnsSubdomain, kDnsLabel, kPathSegment };

  virtual ~Strategy() = default;

  void set_gates(const framework::FeatureGates& gates) { gates_ = gates; }

  // Fills what the user left out, as after every decoding: create, update and patch. `is_create` is true only for a new
  // object.
  virtual void Default(Json& /*object*/, bool /*is_create*/) const {}
  // As much of it as a write through /status needs, which takes the rest from what is stored.
  virtual void DefaultStatus(Json& object) const { Default(object, false); }

  // A new object, before validation: drops what users may not set (status, unless it is kept), sets what the server
  // sets.
  virtual void PrepareCreate(Json& object) const;
  // A changed object, before validation: takes from `old` what this path may not change (status).
  virtual void PrepareUpdate(Json& object, const Json& old) const;
  // The same through /status: takes everything but status and parts of the metadata from `old`.
  virtual void PrepareStatusUpdate(Json& object, const Json& old) const;

  virtual void Validate(const Json& /*object*/, FieldErrors& /*errors*/) const {}
  // Besides Validate, which runs for updates too.
  virtual void ValidateUpdate(const Json& /*object*/, const Json& /*old*/, FieldErrors& /*errors*/) const {}
  // All that is wrong with a changed object: by default what both find. Kinds that judge what stays as it was by other
  // rules have their own.
  virtual void ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const;
  virtual void ValidateStatusUpdate(const Json& /*object*/, const Json& /*old*/, FieldErrors& /*errors*/) const {}

  // The same through /approval, which changes the conditions alone.
  virtual void PrepareApproval(Json& object, const Json& old) const { PrepareUpdate(object, old); }
  virtual void ValidateApproval(const Json& /*object*/, const Json& /*old*/, FieldErrors& /*errors*/) const {}
  // The same through /resize, which changes the resources of containers alone.
  virtual void PrepareResize(Json& object, const Json& old) const { PrepareUpdate(object, old); }
  virtual void ValidateResize(const Json& /*object*/, const Json& /*old*/, FieldErrors& /*errors*/) const {}
  // The same through /ephemeralcontainers, which adds containers.
  virtual void PrepareAddition(Json& object, const Json& old) const { PrepareUpdate(object, old); }
  virtual void ValidateAddition(const Json& /*object*/, const Json& /*old*/, FieldErrors& /*errors*/) const {}
  // An object that is about to be deleted: sets what holds it until others have done what is due.
  virtual void PrepareDelete(Json& /*object*/, Time /*now*/) const {}
  // After the preparation of a new or changed object: fills in times that the client left to the server. `old` is null
  // for a new one.
  virtual void StampSpec(Json& /*object*/, const Json& /*old*/, Time /*now*/) const {}
  // After a preparation for /status or /approval: fills in times that the client left to the server.
  virtual void StampStatus(Json& /*object*/, const Json& /*old*/, Time /*now*/) const {}

  virtual NameRule name_rule() const { return NameRule::kDnsSubdomain; }
  // What is wrong with the object's name, or with the beginning of a generated one; by default by the rule.
  virtual Problems CheckName(const Json& object, std::string_view name, bool is_prefix) const;
  // Whether a PUT without resourceVersion is taken.
  virtual bool allows_unconditional_update() const { return true; }
  // Whether a PUT of an absent object creates it.
  virtual bool allows_create_on_update() const { return false; }
  // Whether metadata.generation counts changes of the spec.
  virtual bool has_generation() const { return false; }
  // Whether the object has a status that only /status changes.
  virtual bool has_status() const { return false; }
  // Whether a status given at creation is kept (nodes).
  virtual bool keeps_status_at_create() const { return false; }

  // Whether a deletion that does not say what shall become of the object's dependents leaves them alone.
  virtual bool orphans_dependents() const { return false; }
  // What clients are told that delete without saying it; "": nothing.
  virtual std::string_view deletion_warning() const { return {}; }
  // Whether metadata.generation counts the mark of a deletion.
  virtual bool counts_deletion() const { return true; }
  // Whether status.phase says that the object is being deleted (namespaces).
  virtual bool is_phased_out() const { return false; }
  // Of kinds that end in their own time (pods): how many seconds a deletion grants, given what was asked for. Nothing:
  // the object goes at once.
  virtual std::optional<int64_t> GraceSeconds(const Json& /*object*/, std::optional<int64_t> /*asked*/) const {
    return std::nullopt;
  }

  // Paths, besides metadata.name and metadata.namespace, that field selectors may ask for.
  virtual std::span<const std::string_view> selectable_fields() const { return {}; }
  // The value of such a path, "" if it is unset; booleans as true or false.
  virtual std::string SelectableField(const Json& object, std::string_view path) const;

 protected:
  // Which optional behaviours are on.
  const framework::FeatureGates& gates() const { return gates_; }

 private:
  framework::FeatureGates gates_;
};

}  // namespace berth::server
